/** What a person can do about a run as it stands, in one sentence. */
import type { AttemptHistory } from './attempt-history.ts';
import type { RunHistory } from './run-history.ts';
import { AGENT_PROGRAM } from '../protocol/long-lived-agent.ts';

/** Null: nothing needs to be done. */
export function adviceFor(story: RunHistory): string | null {
  const { id, outcome, questions, waits, attempts } = story;
  const question = questions.find(({ endedAt }) => endedAt === null);
  if (outcome === null) {
    if (question !== undefined) return `Answer it with: supervisor answer ${id} "…"`;
    const wait = waits.find(({ endedAt }) => endedAt === null);
    return wait === undefined ? null : `Nothing, or try at once with: supervisor retry-now ${id}`;
  }
  switch (outcome.kind) {
    case 'succeeded':
      return hasWork(attempts) ? `Take the work over with: supervisor apply ${id}` : null;
    case 'unverified':
      return hasWork(attempts)
        ? `Nobody has checked it. Look with: supervisor diff ${id}; take it over with: supervisor apply ${id}`
        : 'Nobody has checked it. A gate does: supervisor run "…" --gate "npm test"';
    case 'cancelled':
    case 'killed':
      // A body stays as it is: whoever wants more of it looks at its work.
      if (story.program === AGENT_PROGRAM)
        return hasWork(attempts) ? `See what it left with: supervisor diff ${id}` : null;
      return `Go on where it was with: supervisor resume ${id}`;
    case 'refused':
      return 'See what is missing with: supervisor doctor';
    case 'failed':
    case 'exhausted':
    case 'blocked':
      return afterFailure(story, attempts.at(-1));
  }
}

function hasWork(attempts: readonly AttemptHistory[]): boolean {
  return (attempts.findLast(({ kept }) => kept !== null)?.kept?.files ?? 0) > 0;
}

function afterFailure(
  { id, cooling, lastAt }: RunHistory,
  last: AttemptHistory | undefined,
): string {
  const again = `supervisor resume ${id}`;
  const gate = last?.gates.find(({ kind, warns }) => kind !== 'passed' && !warns);
  if (gate !== undefined)
    return `See what gate ${gate.name} complains about with: supervisor diff ${id}; then: ${again}`;
  const agent = last?.agentId ?? 'the agent';
  switch (last?.failure?.reason ?? 'unknown') {
    case 'rate_limited':
    case 'quota_exhausted': {
      const [first] = cooling
        .filter(({ until }) => until > lastAt)
        .toSorted((a, b) => a.until - b.until);
      const when = first === undefined ? '' : ` after ${new Date(first.until).toISOString()}`;
      return `Go on${when} with: ${again}; see who rests with: supervisor cooldowns`;
    }
    case 'auth':
      return `Log in to ${last?.agentCli ?? agent} again, or give ${agent} a key that holds; then: ${again}`;
    case 'model_not_found':
      return `Give ${agent} a model that its provider has; then: ${again}`;
    case 'agent_missing':
    case 'start_refused':
    case 'bad_usage':
      return 'See what this machine lacks with: supervisor doctor';
    case 'output_limit':
      return `Let ${agent} write longer answers (its CLI or model sets the limit), or split the task; then: ${again}`;
    case 'content_filtered':
      return `The provider of ${agent} withholds its answer: word the task differently, or use another provider.`;
    case 'disk_full':
      return `Make room on the disk, or raise sandbox.disk; then: ${again}`;
    case 'workspace_denied':
      return `Make the folder of the work writable for the agent; then: ${again}`;
    case 'bad_prompt':
      return 'Word the task differently, and run it again.';
    case 'context_overflow':
      return 'Ask for less at once: split the task.';
    case 'price_unknown':
      return `Add the price of the model to gateway.prices; then: ${again}`;
    case 'budget':
      return `Give it more with a higher budget; then: ${again}`;
    case 'needs_input':
      return 'Say in the task what the agent asked for, and run it again.';
    default:
      return `See what it said with: supervisor logs ${id}; go on with: ${again}`;
  }
}
