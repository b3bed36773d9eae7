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
  /** What was called, whatever it has said. */
  readonly call: string;
  /** What it has said, as a hash. Empty: it is not known. */
  readonly output: string;
  /** A test run that fails is a finding about the work, not about the tool. */
  readonly isTestRun: boolean;
  /** So is any other check of the work, such as a compiler. */
  readonly isFinding: boolean;
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
  const isFinding = isTestRun || (error === 'execution' && CHECK.test(subject ?? ''));
  const isMissing = isMissingStep(step);
  const { signature: call, output = '' } = step;
  const about = { isTestRun, isFinding, isMissing, subject };
  return { turn, tool, call, output, signature: identityOf(step), error, ...about };
}

/** Programs and scripts that judge the work. */
const CHECK =
  /\b(?:e2e|tests?|lint|checks?|tsc|builds?|compile|vet|clippy|mypy|pyright|ruff|flake8|pylint|eslint|biome|knip|coverage|audit|type-?check|format|fmt|verify|validate|docs|jest|vitest|mocha|pytest|rspec|ctest|make|ninja|gradlew?|mvn)\b/;

/** Neither ended in time, and the later one has got further: what it has said is different. */
export function hasAdvanced(one: PastFailure, later: PastFailure): boolean {
  const isSame = one.error === 'timeout' && later.error === 'timeout' && one.call === later.call;
  return isSame && one.signature !== later.signature;
}

/** Without single looks at things that are not there. Each is an answer, and only the second look at one is trouble. */
export function withoutAnswers(
  failures: readonly PastFailure[],
  isAnswer = ({ isMissing }: PastFailure): boolean => isMissing,
): readonly PastFailure[] {
  if (!failures.some(isAnswer)) return failures;
  const keys = failures.map(failureKey);
  const isOnce = (key = ''): boolean => keys.indexOf(key) === keys.lastIndexOf(key);
  return failures.filter((one, place) => !isAnswer(one) || !isOnce(keys[place]));
}

export function pastSuccess(turn: number, step: TurnStep): PastSuccess {
  const { tool, subject = null } = step;
  const isTestRun = step.failing !== undefined;
  const mark = isUnheard(step) ? `${successMark(step)} ${turn}` : successMark(step);
  return { turn, tool, mark, isTestRun, subject };
}

const ELSEWHERE = /\bcurl\b/;

/** What it has said is not known. Only a look at the work is known to say the same until the work changes. */
export function isUnheard(step: TurnStep): boolean {
  return step.output === undefined && (!isLook(step) || ELSEWHERE.test(step.subject ?? ''));
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

/** What the agent looked for is not there. A program may say so in any language. */
export function isMissingStep(step: TurnStep): boolean {
  if (step.error === 'not-found') return isLook(step);
  if (step.error !== 'execution' || /^exit code \d+$/i.test(step.errorText ?? '')) return false;
  return NAMES_A_FILE.test(step.subject ?? '') && isLook(step);
}

/** Shell commands that fail because what they name is not there. */
const NAMES_A_FILE =
  /^(?:cat|bat|head|tail|less|nl|sed -n|ls|dir|tree|find|wc|stat|file|type|Get-Content|git (?:show|log|diff|blame|rev-parse))\s/;

/** Time alone may end such a failure. No time repairs a build. */
export function isOutside(error: ToolError, isMissing: boolean): boolean {
  return error === 'network' || error === 'timeout' || (error === 'not-found' && isMissing);
}

/** Programs that name things by a hash. */
const NAMES_BY_HASH = /\b(?:git|hg|jj|docker|podman|nerdctl|kubectl|alembic)\b/;
const HASH = /\b[\da-f]{7,64}\b/g;
/** Files in a temporary folder that have a name and no random letters. */
const NAMED_TEMP = /\/tmp\/(?!tmp|[^\s'"]*[\da-f]{6})[^\s'"`:;,)\]]+/g;

/** Another hash, or another temporary file, is another thing for a success. For a failure it is the same call again. */
export function successMark({ signature, output = '', subject = '' }: TurnStep): string {
  const mark = `${signature} ${output}`;
  const names = [
    ...(subject.match(NAMED_TEMP) ?? []),
    ...(NAMES_BY_HASH.test(subject) ? (subject.match(HASH) ?? []) : []),
  ];
  return [mark, ...names].join(' ');
}

/** Words that count tries. */
const COUNTER =
  /\b(attempts?|tries|try|retry|retries|iteration|iter|count|counter|nonce|trial|round|n|i|ts|cb)([ =:#_-]{1,3})\d{1,12}\b/gi;
const COMMENT = /\s#\s.*$/;

/**
 * A test that fails with another message is another failure, and so is a call that ends at another place because its time
 * is over. A call with another counter is the same one.
 */
function identityOf(step: TurnStep): string {
  const { tool, signature, failing, error, output = '', subject = '' } = step;
  if (failing !== undefined || error === 'timeout') return `${signature}${output}`;
  const without = subject.replace(COMMENT, '').replaceAll(COUNTER, '$1$2<n>');
  return without === subject ? signature : callSignature(tool, without);
}
