/**
 * A small task for an installed CLI, with a fake model that costs nothing: one tool call, one answer. If the
 * adapter does not see what it expects, the CLI has changed. This is called drift.
 */
import type { AgentVerdict } from '../adapters/adapter.ts';
import type { Transcript } from '../adapters/transcript.ts';

export type Canary = {
  readonly model: string | null;
  /** The tool call with which the model makes this CLI write a file. */
  readonly write: (
    path: string,
    name: string,
    content: string,
  ) => { readonly name: string; readonly args: string | Readonly<Record<string, string>> };
  /** Whether the CLI reports the tokens that it used. */
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
    model: 'gpt-5.5', // newer models use another format for tools
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

/** The observations of one canary. */
export type CanaryResult = {
  readonly transcript: Transcript;
  readonly verdict: AgentVerdict;
  /** The bodies of its model calls, without background calls. */
  readonly requests: readonly string[];
  /** The calls that the model server refused, with its messages. */
  readonly refusals: readonly string[];
  readonly fileContent: string | null;
};

/** The differences from what the adapter expects. If there are none, the adapter still supports the CLI. */
export function findDrift(canary: Canary, seen: CanaryResult): readonly string[] {
  const { transcript, verdict, requests, refusals, fileContent } = seen;
  if (requests.length === 0)
    return [
      `it did not call the configured model (${verdict.kind === 'done' ? 'and exited without an error' : verdict.message})`,
    ];
  const prompt = JSON.stringify(CANARY_PROMPT).slice(1, -1);
  const checks: readonly (readonly [isSo: boolean, drift: string])[] = [
    [requests.some((body) => body.includes(prompt)), 'the prompt did not arrive complete'],
    [refusals.length === 0, `the model refused what it sent: ${refusals.join('; ')}`],
    [fileContent?.trim() === CANARY_CONTENT, 'the tool did not write the file'],
    [transcript.session !== null, 'no conversation id was seen'],
    [transcript.toolsUsed > 0, 'no tool call was seen'],
    [transcript.toolsOpen === 0, 'the end of the tool call was not seen'],
    [transcript.lastWords === CANARY_WORDS, 'the final message was not seen'],
    [!canary.countsTokens || (transcript.usage?.inputTokens ?? 0) > 0, 'no token usage was seen'],
    [
      verdict.kind === 'done',
      `its exit was classified as a failure: ${verdict.kind === 'done' ? '' : verdict.message}`,
    ],
  ];
  return checks.flatMap(([isSo, drift]) => (isSo ? [] : [drift]));
}
