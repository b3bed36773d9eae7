/** One agent in the words of the protocol. */
import { KIND_RULES } from '../lifecycle/kinds.ts';
import type { LifeView } from '../protocol/life-view.ts';
import type { AgentRecord } from './agents-book.ts';

export function lifeView(
  record: AgentRecord,
  parent: AgentRecord | undefined,
  restarts: number,
): LifeView {
  const { run, settings, standing, project, assignment, since, isSpent, outcome } = record;
  const { name, kind, supervisor, declared } = settings;
  const { state, life, turn, restsUntil, exit, over, openMatters, commitments } = standing;
  return {
    run,
    name,
    kind,
    project,
    assignment,
    state,
    since,
    life,
    turn,
    restsUntil,
    restarts,
    parent:
      settings.parent === null
        ? null
        : { run: settings.parent, name: parent?.settings.name ?? settings.parent },
    supervisor,
    declared,
    visibility: KIND_RULES[kind].visibility,
    spent: isSpent,
    over,
    why: exit?.kind === 'failed' ? exit.reason : null,
    outcome,
    openMatters,
    commitments: commitments.map(({ description, status, failure }) => ({
      description,
      status,
      failure,
    })),
  };
}
