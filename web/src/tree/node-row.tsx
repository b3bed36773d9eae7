/** One place of the tree on one line. */
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import type { TreeNode } from '../../../src/protocol/views/tree-view.ts';
import { ago, firstLine, projectName, visible } from '../parts/words.ts';
import { RestartMeter } from './restart-budget.tsx';
import type { TreeRow } from './tree-rows.ts';

type NodeProps = {
  readonly row: TreeRow;
  readonly now: number;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
};

export function NodeRow({ row, now, isSelected, onSelect }: NodeProps): ReactNode {
  const { node, depth, lines, isLast, question } = row;
  const { agent } = node;
  const element = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isSelected) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  const [sign, look, word] = signOf(node, question !== undefined);
  return (
    <li
      ref={element}
      className={`node ${isSelected ? 'selected' : ''} ${agent?.ended ? 'ended' : ''}`}
    >
      <button type="button" aria-current={isSelected} onClick={onSelect}>
        <span className="place">
          <span className="rails" aria-hidden="true">
            {lines.map((goesOn, index) => (
              <i key={index} className={goesOn ? 'on' : ''} />
            ))}
            {depth === 0 ? null : <i className={isLast ? 'corner' : 'tee'} />}
          </span>
          <span className={`state ${look}`} title={word}>
            <span aria-hidden="true">{sign}</span>
            <span className="unseen">{word}</span>
          </span>
          <span className="name">{visible(nameOf(node, depth))}</span>
          {node.strategy === null || node.project === null ? null : (
            <span className="strategy">{node.strategy}</span>
          )}
        </span>
        <span className="doing">
          {agent === null ? visible(node.note ?? '') : visible(firstLine(agent.assignment))}
        </span>
        <span className="life">
          {agent === null
            ? ''
            : agent.life === 0
              ? 'not started'
              : `life ${agent.life} · turn ${agent.turn}`}
        </span>
        <span className="since">{ago(node.since, now)}</span>
        <span className="left">
          {node.budget === null ? null : <RestartMeter budget={node.budget} now={now} />}
        </span>
      </button>
    </li>
  );
}

/** The top of a project is named after its folder. */
function nameOf({ name, project, agent, strategy }: TreeNode, depth: number): string {
  return agent === null && strategy !== null && project !== null && depth === 0
    ? projectName(project)
    : name;
}

function signOf(
  { agent, state, health, type }: TreeNode,
  asks: boolean,
): readonly [sign: string, look: string, word: string] {
  if (asks) return ['◆', 'needs', 'asks you'];
  if (agent === null) {
    if (health === 'down') return ['✖', 'bad', state];
    if (health === 'recovering') return ['⟳', 'waiting', 'recovering'];
    return [type === 'supervisor' ? '▾' : '●', 'stopped', state];
  }
  if (agent.ended)
    return agent.outcome?.kind === 'failed' ? ['✖', 'bad', 'failed'] : ['✔', 'good', 'ended'];
  if (agent.restartsExhausted) return ['◆', 'needs', 'no restarts left'];
  if (state === 'restarting') return ['⟳', 'waiting', 'restarting'];
  if (agent.coolingUntil !== null) return ['◌', 'waiting', 'cooling'];
  if (agent.state === 'working' || agent.state === 'verifying')
    return ['●', 'working', agent.state];
  return ['○', 'unproven', agent.state.replaceAll('-', ' ')];
}
