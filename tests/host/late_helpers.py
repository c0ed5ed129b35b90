"""Helpers that a Hermes tree before v0.22 lacks, so that identity can be established at all. Nothing changes on disk."""


def add_late_helpers():
    import agent.secret_scope as secret_scope
    import hermes_constants
    from hermes_cli.plugins import PluginContext

    if not hasattr(secret_scope, "current_secret_scope_home"):
        secret_scope.current_secret_scope_home = lambda: (
            hermes_constants.get_hermes_home_override() if secret_scope.current_secret_scope() is not None else None
        )
    if not hasattr(PluginContext, "current_cron_execution"):
        PluginContext.current_cron_execution = lambda self: None
