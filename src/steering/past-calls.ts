/** What the history of a conversation keeps of a tool call that has ended, and when two of them are the same. */
import type { ToolError, TurnStep } from '../protocol/turn.ts';
import { callSignature } from '../turns/call-signature.ts';
import { isLook } from '../turns/is-look.ts';

export type PastFailure = {
  readonly turn: number;
  readonly tool: string;
  /** Equal for calls that only repeat each other. */
  readonly signature: string;
  readonly error: ToolError;
  /** A test run that fails is a finding about the work, not about the tool. */
  readonly isTestRun: boolean;
  /** A look at something that is not there. */
  readonly isMissing: boolean;
  readonly subject: string | null;
};

export type PastSuccess = {
  readonly turn: number;
  readonly tool: string;
  /** What was done, and its output. */
  readonly mark: string;
  readonly isTestRun: boolean;
  readonly subject: string | null;
};

/** A failure that came again and again, with nothing but looks in between. */
export type RepeatedFailure = {
  readonly first: number;
  readonly times: number;
  readonly failure: PastFailure;
};

const REPEATED_MAX = 20;

export function pastFailure(turn: number, step: TurnStep, error: ToolError): PastFailure {
  const { tool, subject = null } = step;
  const isTestRun = step.failing !== undefined;
  const isMissing = isMissingStep(step);
  return { turn, tool, signature: identityOf(step), error, isTestRun, isMissing, subject };
}

/** Without single looks at things that are not there. Each is an answer, and only the second look at one is trouble. */
export function withoutAnswers(failures: readonly PastFailure[]): readonly PastFailure[] {
  if (!failures.some(({ isMissing }) => isMissing)) return failures;
  const keys = failures.map(failureKey);
  const isOnce = (key = ''): boolean => keys.indexOf(key) === keys.lastIndexOf(key);
  return failures.filter(({ isMissing }, place) => !isMissing || !isOnce(keys[place]));
}

export function pastSuccess(turn: number, step: TurnStep): PastSuccess {
  const { tool, subject = null } = step;
  const isTestRun = step.failing !== undefined;
  return { turn, tool, mark: successMark(step), isTestRun, subject };
}

export function withRepeated(
  repeated: ReadonlyMap<string, RepeatedFailure>,
  failure: PastFailure,
): ReadonlyMap<string, RepeatedFailure> {
  const key = failureKey(failure);
  const { first = failure.turn, times = 0 } = repeated.get(key) ?? {};
  const all = new Map(repeated);
  all.delete(key);
  all.set(key, { first, times: times + 1, failure });
  return new Map([...all].slice(-REPEATED_MAX));
}

/** Equal for two failures of the same call in the same way. */
export function failureKey({
  tool,
  error,
  signature,
}: Pick<PastFailure, 'tool' | 'error' | 'signature'>): string {
  return `${tool} ${error} ${signature}`;
}

/** Calls of one turn run side by side: the agent could not learn from the first before the second. */
export function turnsOf(failures: readonly PastFailure[]): number {
  return new Set(failures.map(({ turn }) => turn)).size;
}

/** What the agent looked for is not there. */
export function isMissingStep(step: TurnStep): boolean {
  return step.error === 'not-found' && isLook(step);
}

/** Time alone may end such a failure. No time repairs a build. */
export function isOutside(error: ToolError, isMissing: boolean): boolean {
  return error === 'network' || error === 'timeout' || (error === 'not-found' && isMissing);
}

/** Programs that name things by a hash, and files whose content is no text of the record. */
const NAMES_BY_HASH = /\b(?:git|hg|jj|docker|podman|nerdctl|kubectl|alembic)\b/;
const HASH = /\b[\da-f]{7,64}\b/g;
const PICTURE = /\.(?:png|jpe?g|gif|webp|bmp|svg|pdf)$/i;

/** A hash is another thing for a success. For a failure it is the same call again. */
export function successMark({ signature, output = '', subject = '' }: TurnStep): string {
  const mark = `${signature} ${output}`;
  if (PICTURE.test(subject)) return `${mark} ${subject}`;
  return NAMES_BY_HASH.test(subject) ? [mark, ...(subject.match(HASH) ?? [])].join(' ') : mark;
}

/** Words that count tries. */
const COUNTER =
  /\b(attempts?|tries|try|retry|retries|iteration|iter|count|counter|nonce|trial|round|n|i|ts|cb)([ =:#_-]{1,3})\d{1,12}\b/gi;
const COMMENT = /\s#\s.*$/;

/** A test that fails with another message is another failure. A call with another counter is the same one. */
function identityOf(step: TurnStep): string {
  const { tool, signature, failing, output = '', subject = '' } = step;
  if (failing !== undefined) return `${signature}${output}`;
  const without = subject.replace(COMMENT, '').replaceAll(COUNTER, '$1$2<n>');
  return without === subject ? signature : callSignature(tool, without);
}
