import { userHomeFolder } from '../host/machine/account-home.ts';
import type { ProbePorts } from '../doctor/probe-machine.ts';
import type { CliContext } from './cli-context.ts';
import { stateHome } from './connect-owner.ts';

/** The ports of `probeMachine`, for the user who runs the command. */
export function hostFacts(context: CliContext): ProbePorts {
  const { clock, random, env } = context;
  return { clock, random, env, userDir: userHomeFolder(), stateDir: stateHome(context).dir };
}
