/** Converts an agent record into the view that the API returns. */
import { KIND_RULES } from '../../agents/kinds.ts';
import type { AgentView } from '../../protocol/views/agent-view.ts';
import type { AgentRecord } from './agent-registry.ts';

export function describeAgent(
  record: AgentRecord,
  parent: AgentRecord | undefined,
  restarts: number,
): AgentView {
  const { run, settings, status, project, assignment, since, isExhausted, outcome } = record;
  const { name, kind, supervisor, declared } = settings;
  const { state, life, turn, coolingUntil, exit, isOver, openIssues, commitments } = status;
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
    coolingUntil: coolingUntil,
    restarts,
    parent:
      settings.parent === null
        ? null
        : { run: settings.parent, name: parent?.settings.name ?? settings.parent },
    supervisor,
    declared,
    visibility: KIND_RULES[kind].visibility,
    restartsExhausted: isExhausted,
    ended: isOver,
    why: exit?.kind === 'failed' ? exit.reason : null,
    outcome,
    openIssues: openIssues,
    commitments: commitments.map(({ description, by, status, failure }) => ({
      description,
      by,
      status,
      failure,
    })),
  };
}
