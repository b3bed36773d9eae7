/**
 * Which agent should begin a run, by what agents have done with the same kind of task. The default stays unless the record
 * clearly speaks for another one, and only a small share of the runs leaves the default at all.
 */
import type { LearnedChoice } from '../protocol/learned-choice.ts';
import { dollars } from '../reports/cost-words.ts';
import type { EndedAttempt } from './ended-attempt.ts';

type LearnedSetting = 'off' | 'suggest' | 'on';

/** What a comparison needs, and how often it may decide. */
type LearnedRules = {
  readonly samplesMin: number;
  /** Older attempts do not count. */
  readonly days: number;
  /** At most this share of the runs begins with another agent than the default: a wrong lesson stays cheap. */
  readonly deviationMax: number;
};

export type ChoiceQuestion = {
  readonly setting: Exclude<LearnedSetting, 'off'>;
  /** The agents of the chain in their order. The first is the default. */
  readonly agents: readonly string[];
  /** Only attempts with the same role and the same kind of answer count. */
  readonly role: string | null;
  readonly task: string;
  readonly rules: LearnedRules;
  readonly now: number;
  /** In [0, 1). */
  readonly random: number;
};

const DAY_MS = 86_400_000;
const WEIGHTS = { success: 0.7, cost: 0.3 };
/** A smaller gain may be chance. */
const GAIN_MIN = 0.05;
const EXPLORED_SHARE = 0.05;

type Score = {
  readonly agent: string;
  readonly samples: number;
  readonly success: number;
  /** The mean of the known ones. Null: none is known. */
  readonly costUsd: number | null;
};

/** Undefined: the default begins, and there is nothing to say about it. */
export function chooseLearned(
  records: readonly EndedAttempt[],
  { setting, agents, role, task, rules, now, random }: ChoiceQuestion,
): LearnedChoice | undefined {
  const [usual] = agents;
  if (usual === undefined || agents.length < 2) return undefined;
  const recent = records.filter(
    (one) => one.endedAt >= now - rules.days * DAY_MS && one.role === role && one.task === task,
  );
  const scores = agents.map((agent) => scoreOf(agent, recent));
  const isOn = setting === 'on';
  const mayLeave = deviation(recent) <= rules.deviationMax;
  if (isOn && mayLeave && random < EXPLORED_SHARE) {
    const [least] = scores
      .filter(({ agent, samples }) => agent !== usual && samples < rules.samplesMin)
      .toSorted((a, b) => a.samples - b.samples);
    if (least !== undefined)
      return {
        ...{ kind: 'explored', agent: least.agent, instead: usual },
        why: `only ${least.samples} of the ${rules.samplesMin} attempts that a comparison needs are known of ${least.agent}, so a few runs try it`,
      };
  }
  const found = betterThan(usual, scores, rules);
  if (found === undefined) return undefined;
  const { best, words } = found;
  if (!isOn) return { kind: 'suggested', agent: best, instead: usual, why: words };
  if (mayLeave) return { kind: 'learned', agent: best, instead: usual, why: words };
  const share = `${Math.round(rules.deviationMax * 100)} %`;
  return {
    ...{ kind: 'kept', agent: best, instead: usual },
    why: `${words}; but ${share} of the runs left the default already, so it stays`,
  };
}

/** What a person stopped, or what lost its owner, says nothing about the agent. */
function scoreOf(agent: string, recent: readonly EndedAttempt[]): Score {
  const own = recent.filter(
    (one) => one.agent === agent && (one.end === 'completed' || one.end === 'failed'),
  );
  const good = own.filter(({ verdict, end }) =>
    verdict === null ? end === 'completed' : verdict === 'green',
  );
  const costs = own.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    agent,
    samples: own.length,
    success: own.length === 0 ? 0 : good.length / own.length,
    costUsd: costs.length === 0 ? null : costs.reduce((sum, one) => sum + one, 0) / costs.length,
  };
}

/**
 * The share of the runs that left their default because of what was learned, with this one. What a person named, or what
 * was the default then, is no such run.
 */
function deviation(recent: readonly EndedAttempt[]): number {
  const firsts = recent.filter(({ isRetry }) => !isRetry);
  const left = firsts.filter(({ leftDefault }) => leftDefault);
  return (left.length + 1) / (firsts.length + 1);
}

function betterThan(
  usual: string,
  scores: readonly Score[],
  { samplesMin }: LearnedRules,
): { readonly best: string; readonly words: string } | undefined {
  const known = scores.filter(({ samples }) => samples >= samplesMin);
  const own = known.find(({ agent }) => agent === usual);
  if (own === undefined) return undefined;
  // A cost that is not known cannot be compared, and then success alone decides.
  const costs = known.map(({ costUsd }) => costUsd);
  const most = costs.includes(null) ? 0 : Math.max(...costs.map((one) => one ?? 0));
  const points = ({ success, costUsd }: Score): number =>
    WEIGHTS.success * success + WEIGHTS.cost * (most === 0 ? 1 : 1 - (costUsd ?? 0) / most);
  const [best] = known.toSorted((a, b) => points(b) - points(a));
  if (best === undefined || best.agent === usual) return undefined;
  if (points(best) < points(own) * (1 + GAIN_MIN)) return undefined;
  return { best: best.agent, words: `${describe(best)}, and ${describe(own)}` };
}

function describe({ agent, samples, success, costUsd }: Score): string {
  const good = Math.round(success * samples);
  const cost = costUsd === null ? '' : ` for ${dollars(costUsd)} each`;
  return `${agent} did ${good} of ${samples} such attempts well${cost}`;
}
