"""What every plugin of Memory Bridge shares on the host's side: it gathers, forwards and restarts. It decides nothing.

The build copies this package into each plugin directory. Standard library only; the host's modules are imported inside
functions, at the moment they are needed. (design.md section 6)
"""
