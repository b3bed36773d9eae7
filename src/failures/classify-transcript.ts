/** Classifies the stored output of an agent. */
import type { ProcessExit, OutputStream } from '../adapters/adapter.ts';
import { adapterFor } from '../adapters/adapters.ts';
import type { AgentEvent } from '../adapters/agent-event.ts';
import { EMPTY_TRANSCRIPT, foldTranscript } from '../adapters/transcript.ts';
import { isRecord, parseJson } from '../base/json.ts';
import type { AttemptOutcome } from '../protocol/contracts/attempt-contract.ts';
import { classifyAttempt } from './classify-attempt.ts';
import type { AttemptEvidence, ContainerState } from './evidence.ts';
import { isStackLine } from './rules/error-lines.ts';

const TAIL_LINES_MAX = 100;

export type StoredTranscript = Pick<
  AttemptEvidence,
  'cli' | 'exit' | 'stoppedBy' | 'now' | 'zone' | 'rules'
> & {
  /** Null: not known. */
  readonly stdout: string | null;
  readonly stderr: string | null;
  readonly container: ContainerState | null;
};

/** Undefined: no such CLI is known. */
export function classifyTranscript(given: StoredTranscript): AttemptOutcome | undefined {
  const { stdout, stderr, ...known } = given;
  const adapter = adapterFor({ cli: given.cli });
  if (adapter === undefined) return undefined;
  const read = (text: string | null, stream: OutputStream) =>
    (text ?? '')
      .split('\n')
      .map((line) => line.replace(/\r$/, ''))
      .filter((line) => line !== '')
      .map((line) => ({ line, events: adapter.read(line, stream) }));
  const [out, err] = [read(stdout, 'stdout'), read(stderr, 'stderr')];
  const transcript = inOrder(
    out.flatMap(({ events }) => events),
    err.flatMap(({ events }) => events),
  ).reduce(foldTranscript, EMPTY_TRANSCRIPT);
  const rest = (lines: typeof out) =>
    lines
      .filter(({ events }) => events.every(({ kind }) => kind === 'noise'))
      .map(({ line }) => line)
      .filter((line) => !isStackLine(line))
      .slice(-TAIL_LINES_MAX);
  // Empty objects do not count as the last message either.
  const stdoutRest = rest(out).filter((line) => !adapter.structured || !line.startsWith('{'));
  return classifyAttempt({
    ...known,
    structured: adapter.structured,
    gatewayFailure: null,
    calls: [],
    seesEveryCall: false,
    transcript,
    verdict: adapter.conclude(given.exit, transcript),
    tail: stdout === null && stderr === null ? null : { stdout: stdoutRest, stderr: rest(err) },
    changed: null,
  });
}

/**
 * Two files do not show which line came first. Retries on stderr count as newer, unless stdout ends
 * in the middle of an answer or with its own final message.
 */
function inOrder(out: readonly AgentEvent[], err: readonly AgentEvent[]): readonly AgentEvent[] {
  const last = out.findLast(({ kind }) => kind !== 'noise' && kind !== 'usage');
  const isPast = last?.kind === 'said' || last?.kind === 'concluded' || last?.kind === 'failed';
  return isPast ? [...err, ...out] : [...out, ...err];
}

/** The output of `docker inspect`, its `State`, or the same in our own words. */
export function readContainerState(text: string): ContainerState | undefined {
  const parsed = parseJson(text);
  const first: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!isRecord(first)) return undefined;
  const state = isRecord(first['State']) ? first['State'] : first;
  const error = state['Error'] ?? state['error'];
  const status = state['Status'] ?? state['status'];
  return {
    oomKilled: [state['OOMKilled'], state['oom_killed'], state['oomKilled']].includes(true),
    lost: state['lost'] === true || status === 'dead' || status === 'lost',
    startError: typeof error === 'string' && error !== '' ? error : null,
  };
}

/** Null for `code` and `signal`: it is not known how it ended. */
export function exitFrom(code: number | null, signal: string | null): ProcessExit {
  if (signal !== null) return { kind: 'signal', signal };
  return { kind: 'code', code: code ?? 1 };
}
