/** The names of the scripted agents, and what each one does. */
import { nearest } from '../../yaml/nearest.ts';

/** Each program of `programs/`, named after its behaviour. `works-in-steps` is also called `scripted`. */
export const SCRIPTED_BEHAVIOURS = {
  'works-in-steps': 'adds a line per step to WORK.md, and continues from what is there',
  'answers-its-role': 'answers in the form that its role asks for, and changes no file',
  'plays-every-role': 'plays each role of a workflow: it plans, writes and reviews sum.mjs',
  'builds-components': 'writes the files that the task of a component names, for features',
  'asks-a-question': 'ends with a question to you instead of work',
  crashes: 'prints an error and exits with 3',
  'deaf-with-child': 'ignores the request to stop, and so does a process that it starts',
  'dies-mid-write': 'is killed in the middle of a line',
  'exits-zero-without-work': 'says that everything is done, and has changed nothing',
  'floods-stdout': 'prints a gigabyte',
  'holds-stdout-open': 'exits and leaves a process that keeps its output open',
  'lives-in-turns': 'works in turns as a long-lived agent, and counts them in TURNS.md',
  'never-speaks': 'hangs without output until it is stopped',
  'one-giant-line': 'prints 8 MB in one line',
  'says-429-in-a-diff': 'prints a diff that mentions rate limits; there is no rate limit',
  'speaks-split-utf8': 'writes each byte of its text separately',
  'writes-markup': 'prints and writes markup with scripts, also as names of files',
  'uses-tools': 'reports the tool calls in its args, and makes none of them',
  'writes-nul-bytes': 'prints binary data',
} as const;

export type ScriptedProgram = keyof typeof SCRIPTED_BEHAVIOURS;

export const SCRIPTED_PROGRAMS = Object.keys(SCRIPTED_BEHAVIOURS) as readonly ScriptedProgram[];

/** `ID:NAME` is the program NAME, and an id without a colon works in steps. Undefined: no program has that name. */
export function findScriptedProgram(agentId: string): ScriptedProgram | undefined {
  const name = namedProgram(agentId);
  return name === undefined
    ? 'works-in-steps'
    : SCRIPTED_PROGRAMS.find((program) => program === name);
}

/** The agent that a misspelt `ID:NAME` most likely means. */
export function nearestScripted(agentId: string): string | undefined {
  const name = namedProgram(agentId);
  const meant = name === undefined ? undefined : nearest(name, SCRIPTED_PROGRAMS);
  return meant === undefined ? undefined : agentId.slice(0, agentId.indexOf(':') + 1) + meant;
}

function namedProgram(agentId: string): string | undefined {
  const colon = agentId.indexOf(':');
  return colon === -1 ? undefined : agentId.slice(colon + 1);
}

/** `scripted:NAME`, whether or not there is such a program. */
export const isScriptedName = (agentId: string): boolean => agentId.startsWith('scripted:');

export const SCRIPTED_LIST = `scripted:NAME with one of these names: ${SCRIPTED_PROGRAMS.join(', ')}`;
