/** Limits: whether an agent may begin a turn now, and how long it rests where it may not. */
import { identityOf } from '../attempts/identity.ts';
import { policyOf } from '../attempts/presets.ts';
import type { Survey, SurveyInput } from '../attempts/survey.ts';
import type { CommandEnd } from '../protocol/event.ts';
import type { Change, LifeState } from './life-state.ts';
import { turnAgent } from './turn-input.ts';
import { asks, newsIn } from './turning.ts';

export type Rest = {
  readonly until: number;
  readonly reason: string;
  /** Whether nobody has written it down yet. */
  readonly cools: boolean;
};

/** Until the limit is over, and never longer than the policy waits in all. */
export function rests(state: LifeState, { until, reason, cools }: Rest, atMs: number): Change {
  const { waitMaxMs } = policyOf(state.settings.recovery);
  const restingSince = state.restingSince ?? atMs;
  const news = newsIn(state.phase);
  if (until <= restingSince + waitMaxMs)
    return { restingSince, looked: false, phase: { kind: 'rest', until, reason, cools, news } };
  const question = `${state.life.name} is limited until ${new Date(until).toISOString()}, which is longer than it may wait: ${reason}`;
  const choices = ['continue', 'dismiss'];
  const asked = asks(state, { question, choices, about: 'limit', news, onRestart: 'keep' });
  return { limits: 0, restingSince: null, ...asked };
}

/** Of a long-lived agent there is one to choose from: nobody's round goes on by this look. */
export function surveyInput(state: LifeState): SurveyInput {
  const agent = turnAgent(state);
  return { project: state.project, agents: [{ id: agent.id, identity: identityOf(agent) }] };
}

/** Whoever could not look must not be kept from going on by that. */
export function afterSurvey(state: LifeState, end: CommandEnd, atMs: number): Change {
  if (end.kind === 'lost') return {};
  const found = end.kind === 'done' ? end.result['cooling'] : undefined;
  const cooling = Array.isArray(found) ? (found as unknown as Survey['cooling']) : [];
  const identity = identityOf(turnAgent(state));
  const own = cooling.find((one) => one.identity === identity);
  const until = own === undefined ? Number.NaN : Date.parse(own.until);
  if (own === undefined || !(until > atMs)) return { looked: true };
  return rests(state, { until, reason: own.reason, cools: false }, atMs);
}

/** A person who says that it need not wait is taken at their word. */
export function afterRest(news: string | null, end: CommandEnd): Change {
  const looked = end.kind === 'done' && end.result['skipped'] === true;
  return { looked, phase: { kind: 'turn', news } };
}
