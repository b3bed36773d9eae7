/** How a failed step is repeated: the named policies, and what a step gets without one. */
import type { AnswerKind } from '../protocol/answer.ts';
import type { RetryPolicy } from '../protocol/workflow-definition.ts';
import { RETRY_POLICIES } from '../settings/workflow-file.ts';
import type { StepFile, WorkflowLimitsFile } from '../settings/workflow-file.ts';
import { nearest } from '../yaml/nearest.ts';
import { quote } from '../yaml/problem.ts';
import { suggest } from '../yaml/schema-faults.ts';
import type { Report, StepDraft } from './step-draft.ts';

type PolicyName = (typeof RETRY_POLICIES)[number];

const NAMED: Readonly<Record<PolicyName, RetryPolicy>> = {
  default: policy(3, 2000, 2, 30_000),
  aggressive: policy(5, 1000, 1.5, 60_000),
  conservative: policy(2, 5000, 3, 120_000),
};

export const STEP_RETRIES_DEFAULT = 3;

function policy(
  attemptsMax: number,
  initialMs: number,
  multiplier: number,
  waitMaxMs: number,
): RetryPolicy {
  return { attemptsMax, initialMs, multiplier, waitMaxMs, jitter: 0.1, whenUsedUp: 'fail' };
}

/** `answer` is what the role of the step answers with; null if no role does it. */
export function chooseRetryPolicy(
  draft: StepDraft,
  answer: AnswerKind | null,
  limits: WorkflowLimitsFile,
  report: Report,
): RetryPolicy {
  const { file, path, kind } = draft;
  const base = findBase(file, answer, kind === 'review', (name) => {
    const meant = nearest(name, RETRY_POLICIES);
    report([...path, 'retry_policy'], `no policy is called ${quote(name)}${suggest(meant)}`, meant);
  });
  const written = typeof file.retry_policy === 'object' ? file.retry_policy : {};
  const hasOwn = file.retry_policy !== undefined;
  if (file.max_retries !== undefined && written.max_attempts !== undefined)
    report([...path, 'max_retries'], 'retry_policy.max_attempts already says it: give one of them');
  const retries = file.max_retries ?? (hasOwn ? undefined : retriesWithoutPolicy(draft, limits));
  return {
    attemptsMax: written.max_attempts ?? (retries === undefined ? base.attemptsMax : retries + 1),
    initialMs:
      written.initial_delay ?? byLimit(limits.retry_base_delay_seconds, hasOwn) ?? base.initialMs,
    multiplier:
      written.multiplier ?? (hasOwn ? undefined : limits.retry_exponential_base) ?? base.multiplier,
    waitMaxMs:
      written.max_delay ?? byLimit(limits.retry_max_delay_seconds, hasOwn) ?? base.waitMaxMs,
    jitter: written.jitter ?? base.jitter,
    whenUsedUp: WHEN_USED_UP[written.on_failure ?? 'fail'],
  };
}

const WHEN_USED_UP = { fail: 'fail', ask_human: 'ask', degrade: 'degrade' } as const;

function byLimit(seconds: number | undefined, hasOwn: boolean): number | undefined {
  return seconds === undefined || hasOwn ? undefined : seconds * 1000;
}

/** A gate is repeated after each fix, so it has no policy of its own. Undefined: the policy decides. */
function retriesWithoutPolicy({ kind }: StepDraft, limits: WorkflowLimitsFile): number | undefined {
  if (kind === 'human') return 0;
  if (kind === 'gate') return limits.step_max_retries ?? STEP_RETRIES_DEFAULT;
  return limits.step_max_retries;
}

/** Plans are repeated as usual, code more often, and reviews seldom: each costs much and a second one says the same. */
function findBase(
  { retry_policy: written }: StepFile,
  answer: AnswerKind | null,
  isReview: boolean,
  unknown: (name: string) => void,
): RetryPolicy {
  if (typeof written === 'string') {
    const name = RETRY_POLICIES.find((one) => one === written);
    if (name !== undefined) return NAMED[name];
    unknown(written);
  }
  if (isReview || answer === 'review') return NAMED.conservative;
  return answer === 'implementation' || answer === 'generic' ? NAMED.aggressive : NAMED.default;
}
