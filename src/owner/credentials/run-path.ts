/** The PATH of a run: that of the shell which submitted it, not that of the shell which started the owner. */
import type { RunId } from '../../base/ids.ts';
import type { CommandContext, CommandRequest, Performer } from '../../engine/performer.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import type { PerformedCommand } from '../../protocol/commands.ts';

type Env = ExecutionHost['env'];

/** Undefined: the environment has its own PATH. */
export function withPath(env: Env, path: string | undefined): Env {
  return path === undefined ? env : { ...env, PATH: path };
}

/** A performer whose programs are found on the PATH of the run. */
export function onPathOf<Name extends PerformedCommand, Ports extends { readonly env: Env }>(
  pathOf: (run: RunId) => Promise<string | undefined>,
  ports: Ports,
  create: (ports: Ports) => Performer<Name>,
): Performer<Name> {
  return {
    command: create(ports).command,
    perform: async (request: CommandRequest<Name>, context: CommandContext<Name>) => {
      const env = withPath(ports.env, await pathOf(request.run));
      return create({ ...ports, env }).perform(request, context);
    },
  };
}
