import { homedir } from 'node:os';
import type { ProbePorts } from '../doctor/probe-machine.ts';
import type { CliContext } from './cli-context.ts';
import { stateHome } from './connect-owner.ts';

/** The machine as whoever types sees it, for `probeMachine`. */
export function hostFacts(context: CliContext): ProbePorts {
  const { clock, luck, env } = context;
  return { clock, luck, env, userDir: homedir(), stateDir: stateHome(context).dir };
}
