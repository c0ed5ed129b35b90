/** Which of the two stands behind the guard's settings: the host that started this program, else the file. */
import type { ActiveSettings } from "@memory-bridge/core/lab/ActivationPlace"
import type { LabCalls } from "@memory-bridge/platform-posix/lab/LabCalls"
import type * as Layer from "effect/Layer"
import * as FileSettings from "./FileSettings.ts"
import * as HostSettings from "./HostSettings.ts"

export interface SettingsPlace {
  readonly layer: Layer.Layer<ActiveSettings>
  /** In words, for the operator. */
  readonly where: string
}

export const settingsLayer = (home: string, calls: LabCalls): SettingsPlace => {
  const pipe = HostSettings.hostPipe()
  return pipe === undefined
    ? { layer: FileSettings.layerOf(home, calls), where: "editing config.yaml in the home" }
    : { layer: HostSettings.layerOf(home, calls, pipe), where: "Hermes itself" }
}
