import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Small executables, each of which misbehaves (or behaves) in one known way. */
export const SCRIPTED_AGENTS = [
  'asks-a-question',
  'crashes',
  'deaf-with-child',
  'dies-mid-write',
  'exits-zero-without-work',
  'floods-stdout',
  'holds-stdout-open',
  'never-speaks',
  'one-giant-line',
  'says-429-in-a-diff',
  'speaks-split-utf8',
  'works-in-steps',
  'writes-nul-bytes',
] as const;

export type ScriptedAgentName = (typeof SCRIPTED_AGENTS)[number];

/** The command line of an agent; its own arguments may be added. */
export function scriptedAgent(name: ScriptedAgentName): readonly string[] {
  // The agents are `.ts` where this file is, and `.js` in the published build.
  const file = new URL(`./agents/${name}${extname(import.meta.url)}`, import.meta.url);
  return [process.execPath, fileURLToPath(file)];
}
