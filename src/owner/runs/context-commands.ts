/** Runs the commands of context strategies in a sandbox. */
import { sandboxedCommand } from '../../brief/sandboxed-command.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import type { Settings } from '../../settings/settings.ts';

/** `project` is the folder that the commands read. `shared` are folders of our own state that they may read. */
export function contextCommands(
  host: ExecutionHost,
  project: string,
  sandbox: Settings['sandbox'],
  shared: readonly string[] = [],
): (command: string) => Promise<string> {
  return (command) => {
    const { clock, random, facts, userDir, stateDir, sandboxLabel, chooseBackend, tagOf } = host;
    const protectedPaths = { userDir, stateDir, shared };
    const ports = { clock, random, facts: facts(), protectedPaths };
    const label = { id: sandboxLabel('context', 'command'), tag: tagOf('context', 'command') };
    return sandboxedCommand({ ...label, project, sandbox, choose: chooseBackend, ports })(command);
  };
}
