import { homedir } from 'node:os';
import type { ProbePorts } from '../doctor/probe-machine.ts';
import type { Face } from './face.ts';
import { homeOf } from './reach.ts';

/** The machine as whoever types sees it, for `probeMachine`. */
export function machineOf(face: Face): ProbePorts {
  const { clock, luck, env } = face;
  return { clock, luck, env, userDir: homedir(), stateDir: homeOf(face).dir };
}
