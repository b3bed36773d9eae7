import { hashText } from './hash-text.ts';
import type { Random } from './random.ts';

/** A run: the first ten hex digits of a version 4 UUID. */
export type RunId = string & { readonly __runId: never };

/** The id of a configured agent. */
export type AgentId = string & { readonly __agentId: never };

/** One command of a run, such as `attempt-2`. A key is used once, so it names one effect for ever. */
export type CommandKey = string & { readonly __commandKey: never };

const RUN_ID = /^[0-9a-f]{10}$/;
const AGENT_ID = /^[a-zA-Z][a-zA-Z0-9_.:-]{0,63}$/;
const COMMAND_KEY = /^[a-z][a-z0-9./-]{0,127}$/;

export function parseRunId(text: string): RunId | undefined {
  return RUN_ID.test(text) ? (text as RunId) : undefined;
}

export function parseAgentId(text: string): AgentId | undefined {
  return AGENT_ID.test(text) ? (text as AgentId) : undefined;
}

export function parseCommandKey(text: string): CommandKey | undefined {
  return COMMAND_KEY.test(text) ? (text as CommandKey) : undefined;
}

/** For keys that the program builds itself. An invalid key is a defect. */
export function commandKey(text: string): CommandKey {
  const key = parseCommandKey(text);
  if (key === undefined) throw new TypeError(`not a command key: ${JSON.stringify(text)}`);
  return key;
}

/** The first ten digits of a version 4 UUID precede its version digit, so they are all random. */
export function newRunId(random: Random): RunId {
  let digits = '';
  while (digits.length < 10) digits += Math.floor(random() * 16).toString(16);
  return digits as RunId;
}

/** The id of the run that a command of another run starts. It is always the same, so that a crash never starts two. */
export function childRunId(parent: RunId, key: CommandKey): RunId {
  return hashText(`${parent}/${key}`).slice(0, 10) as RunId;
}
