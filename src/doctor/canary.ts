/**
 * A small task for an installed CLI, against a model of our own that costs nothing: one tool, one
 * answer. What of it is not seen the way its adapter expects is drift: the CLI has changed.
 */
import type { AgentVerdict } from '../adapters/adapter.ts';
import type { Transcript } from '../adapters/transcript.ts';

export type Canary = {
  readonly model: string | null;
  /** The call with which the model has this CLI write a file. */
  readonly write: (
    path: string,
    name: string,
    content: string,
  ) => { readonly name: string; readonly args: string | Readonly<Record<string, string>> };
  /** Whether it tells how many tokens it used. */
  readonly countsTokens: boolean;
};

export const CANARY_PROMPT =
  'Write "tweet" into the file canary.txt. ("quoted", `ticked`, $HOME, é)';
export const CANARY_FILE = 'canary.txt';
export const CANARY_CONTENT = 'tweet';
export const CANARY_WORDS = 'The canary sings.';

export const CANARIES: Readonly<Record<string, Canary>> = {
  claude: {
    model: null,
    write: (path, _name, content) => ({ name: 'Write', args: { file_path: path, content } }),
    countsTokens: true,
  },
  codex: {
    model: 'gpt-5.5', // newer ones take their tools in another form
    write: (_path, name, content) => ({
      name: 'apply_patch',
      args: `*** Begin Patch\n*** Add File: ${name}\n+${content}\n*** End Patch\n`,
    }),
    countsTokens: true,
  },
  gemini: {
    model: 'gemini-2.5-flash',
    write: (path, _name, content) => ({ name: 'write_file', args: { file_path: path, content } }),
    countsTokens: true,
  },
  copilot: {
    model: 'gpt-4.1',
    write: (path, _name, content) => ({ name: 'create', args: { path, file_text: content } }),
    countsTokens: false,
  },
  opencode: {
    model: 'canary',
    write: (path, _name, content) => ({ name: 'write', args: { filePath: path, content } }),
    countsTokens: true,
  },
};

/** What was seen of one canary. */
export type CanaryResult = {
  readonly story: Transcript;
  readonly verdict: AgentVerdict;
  /** The bodies of its calls to the model, without those on the side. */
  readonly requests: readonly string[];
  /** What the model would not take, in its own words. */
  readonly refusals: readonly string[];
  readonly fileContent: string | null;
};

/** Each thing that is not as it should be, in a few words; none: the adapter still understands it. */
export function findDrift(canary: Canary, seen: CanaryResult): readonly string[] {
  const { story, verdict, requests, refusals, fileContent } = seen;
  if (requests.length === 0)
    return [
      `it never called the model it was pointed at (${verdict.kind === 'done' ? 'and ended well' : verdict.message})`,
    ];
  const prompt = JSON.stringify(CANARY_PROMPT).slice(1, -1);
  const checks: readonly (readonly [isSo: boolean, drift: string])[] = [
    [requests.some((body) => body.includes(prompt)), 'its prompt did not arrive whole'],
    [refusals.length === 0, `the model refused what it sent: ${refusals.join('; ')}`],
    [fileContent?.trim() === CANARY_CONTENT, 'its tool did not write the file'],
    [story.session !== null, 'the id of its conversation was not seen'],
    [story.toolsUsed > 0, 'its use of a tool was not seen'],
    [story.toolsOpen === 0, 'the end of its tool was not seen'],
    [story.lastWords === CANARY_WORDS, 'its last words were not seen'],
    [!canary.countsTokens || (story.usage?.inputTokens ?? 0) > 0, 'its usage was not seen'],
    [
      verdict.kind === 'done',
      `its end was not understood: ${verdict.kind === 'done' ? '' : verdict.message}`,
    ],
  ];
  return checks.flatMap(([isSo, drift]) => (isSo ? [] : [drift]));
}
