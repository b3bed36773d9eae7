import { SCRIPTED_PROGRAMS } from '../adapters/scripted/scripted-programs.ts';
import type { ScriptedProgram } from '../adapters/scripted/scripted-programs.ts';
import { scriptedProgramPath } from '../adapters/scripted/scripted.ts';

export { SCRIPTED_PROGRAMS };
export type { ScriptedProgram };

/** The command line of a scripted agent; its own arguments may be added. */
export function scriptedAgent(name: ScriptedProgram): readonly string[] {
  return [process.execPath, scriptedProgramPath(name)];
}
