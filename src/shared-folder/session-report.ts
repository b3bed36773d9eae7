/** The turns of a person's own session, as its hook sees them: one tool call each. Pure. */
import { isRecord } from '../base/json.ts';
import type { PinnedOrganization } from '../protocol/contracts/organization-contract.ts';
import type { SaluteReport } from '../protocol/contracts/salute-contract.ts';
import type { TurnRecord } from '../protocol/turn.ts';
import { foldRole, NO_ROLE } from '../steering/choose-role.ts';
import { withPace } from '../steering/pace-level.ts';
import { foldReportFacts, NO_REPORT_FACTS } from '../steering/report-facts.ts';
import type { LastReport } from '../steering/salute.ts';
import { isReportDue, lastReportOf, makeReport } from '../steering/salute.ts';
import { foldTurn, NO_HISTORY } from '../steering/watch-history.ts';
import { turnCall, turnStep } from '../turns/turn-step.ts';
import type { HookCall } from './hook-answer.ts';

/** What is kept between two calls of the hook. */
export type SessionState = {
  readonly session: string;
  readonly startedAt: number;
  readonly turns: readonly TurnRecord[];
  readonly last: LastReport | null;
};

const TURNS_MAX = 200;

/** Another session begins again. Unreadable text is as good as none: it is only a cache. */
export function readSession(text: string, session: string, now: number): SessionState {
  const none: SessionState = { session, startedAt: now, turns: [], last: null };
  try {
    const read: unknown = JSON.parse(text);
    if (!isRecord(read) || read['session'] !== session || !Array.isArray(read['turns']))
      return none;
    return read as SessionState;
  } catch {
    return none;
  }
}

export function foldCall(state: SessionState, { session, call, result }: HookCall): SessionState {
  const number = (state.turns.at(-1)?.number ?? 0) + 1;
  const turn: TurnRecord = {
    ...{ conversation: session, kind: 'main', number, model: '' },
    steps: [turnStep(call, result)],
    calls: [turnCall(call)],
    text: `call ${number}`,
    ...{ contextTokens: null, contextTokensMax: null, outputTokens: null, stop: null },
  };
  return { ...state, turns: [...state.turns, turn].slice(-TURNS_MAX) };
}

/** The report of the session's role, if one is due. `name`: the role that its hook names. */
export function sessionReport(
  state: SessionState,
  organization: PinnedOrganization,
  { name, folder, now }: { readonly name: string; readonly folder: string; readonly now: number },
): SaluteReport | null {
  let watch = NO_ROLE;
  let history = NO_HISTORY;
  let facts = NO_REPORT_FACTS;
  for (const turn of state.turns) {
    watch = foldRole(watch, turn, organization, name);
    history = withPace(foldTurn(history, turn), watch.role);
    facts = foldReportFacts(facts, turn);
  }
  const { role, domain } = watch;
  if (role === null) return null;
  history = { ...history, turn: state.turns.at(-1)?.number ?? 0 }; // earlier turns are forgotten, but counted
  const report = makeReport(
    {
      ...{ organization: organization.id, role, domain, folder, history, facts },
      ...{ task: '', model: '', number: 0, startedAt: state.startedAt },
    },
    now,
  );
  const isDue = isReportDue(state.last, lastReportOf(report), role.doctrine.saluteIntervalTurns);
  return isDue ? report : null;
}
