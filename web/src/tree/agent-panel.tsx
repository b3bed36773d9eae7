/** Everything about one place of the tree, and what a person can do about it. */
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { shellWord } from '../../../src/base/shell-words.ts';
import { formatDuration } from '../../../src/base/format-duration.ts';
import { post } from '../connection/api.ts';
import { Action, useSending } from '../parts/action.tsx';
import { Dialog } from '../parts/dialog.tsx';
import type { Question } from '../parts/dialog.tsx';
import { useKeys } from '../parts/keys.ts';
import { Answers } from '../run/answers.tsx';
import { moment, visible } from '../parts/words.ts';
import { RestartHistory } from './restart-budget.tsx';
import type { TreeRow } from './tree-rows.ts';
import { canRestart } from './tree-rows.ts';

export function AgentPanel({
  row,
  now,
}: {
  readonly row: TreeRow;
  readonly now: number;
}): ReactNode {
  const { node, question } = row;
  const { agent, budget } = node;
  return (
    <aside className="panel about" aria-label="Selected">
      <h2>
        {visible(node.name)}
        <span className="note">{node.id}</span>
      </h2>
      {agent === null ? null : <AgentActions row={row} />}
      {question === undefined || canRestart(row) ? null : (
        <Answers questions={[question]} now={now} />
      )}
      <dl className="facts-list">
        <Fact name="State">
          {agent === null ? node.state : agent.state.replaceAll('-', ' ')}, since{' '}
          {moment(node.since, now)}
        </Fact>
        {node.strategy === null ? null : <Fact name="Strategy">{node.strategy}</Fact>}
        {agent === null ? null : (
          <>
            <Fact name="Task">{visible(agent.assignment)}</Fact>
            <Fact name="Kind">
              {agent.kind}, {agent.declared ? 'declared by its project' : 'spawned'}
              {agent.parent === null ? '' : `, child of ${agent.parent.name}`}
            </Fact>
            <Fact name="Life">
              {agent.life}, turn {agent.turn}
              {agent.coolingUntil === null
                ? ''
                : `, cooling until ${moment(agent.coolingUntil, now)}`}
            </Fact>
          </>
        )}
        {node.why === null ? null : <Fact name="Last failure">{visible(node.why)}</Fact>}
        {node.note === null ? null : <Fact name="Note">{visible(node.note)}</Fact>}
        {budget === null ? null : (
          <Fact name="Restarts">
            {node.restarts} in all; at most {budget.restartsMax} in{' '}
            {formatDuration(budget.withinMs)}
            <RestartHistory budget={budget} now={now} />
          </Fact>
        )}
        {agent === null || agent.commitments.length === 0 ? null : (
          <Fact name="Commitments">
            <ul className="commitments">
              {agent.commitments.map(({ description, status, failure }) => (
                <li key={description}>
                  <span className={`state ${COMMITMENT[status][1]}`}>{COMMITMENT[status][0]}</span>{' '}
                  {visible(description)}
                  {failure === null ? null : <q className="evidence">{visible(failure)}</q>}
                </li>
              ))}
            </ul>
          </Fact>
        )}
      </dl>
      {agent === null ? null : (
        <p>
          <Link href={`/runs/${agent.run}`}>Its story, output and facts</Link>
        </p>
      )}
      <code className="command">
        $ supervisor {agent === null ? 'tree --all --internals' : `why ${agent.run}`}
      </code>
    </aside>
  );
}

const COMMITMENT = {
  pending: ['○', 'unproven'],
  passed: ['✔', 'good'],
  failed: ['✖', 'bad'],
} as const;

function Fact({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function AgentActions({ row }: { readonly row: TreeRow }): ReactNode {
  const { node, question } = row;
  const { agent } = node;
  const [asked, setAsked] = useState<Question | null>(null);
  const { isSending, problem, send } = useSending();
  const run = agent?.run ?? '';
  const over = agent?.ended === true ? 'the agent has ended' : undefined;
  const busy = isSending ? 'an instruction is on its way' : undefined;
  const noRestart =
    over ?? (canRestart(row) ? undefined : 'it asks for no restart: its supervisor restarts it');
  const restart = (): void =>
    void send(() => post(`/v1/runs/${run}/answer`, { choice: 'restart', key: question?.key }));
  const dismiss = (): void =>
    setAsked({
      ...{ title: `Dismiss ${node.name}? It ends, and its work stays.`, isDangerous: true },
      ...{ asks: 'Why? (optional)', isOptional: true, confirm: 'Dismiss it' },
      command: () => `supervisor dismiss ${run}`,
      does: (text) => post(`/v1/agents/${run}/dismiss`, text === '' ? {} : { because: text }),
    });
  const write = (): void =>
    setAsked({
      ...{ title: `Send ${node.name} a message`, asks: 'It reads this in its next turn.' },
      confirm: 'Send',
      command: (text) => `supervisor send ${run} ${text === '' ? '…' : shellWord(text)}`,
      does: (text) => post(`/v1/agents/${run}/messages`, { text }),
    });
  useKeys('Agent', [
    { key: 's', does: 'send a message', disabled: over ?? busy, run: write },
    { key: 'r', does: 'restart', disabled: noRestart ?? busy, run: restart },
    { key: 'd', does: 'dismiss', disabled: over ?? busy, run: dismiss },
  ]);
  return (
    <div className="row actions">
      <Action
        label="Message…"
        command={`supervisor send ${run} …`}
        disabled={over ?? busy}
        onPress={write}
      />
      <Action
        label="Restart"
        look="main"
        command={`supervisor answer ${run} restart`}
        disabled={noRestart ?? busy}
        onPress={restart}
      />
      <Action
        label="Dismiss…"
        look="danger"
        command={`supervisor dismiss ${run}`}
        disabled={over ?? busy}
        onPress={dismiss}
      />
      {problem === null ? null : (
        <span role="alert" className="problem">
          {problem}
        </span>
      )}
      {asked === null ? null : <Dialog question={asked} onClose={() => setAsked(null)} />}
    </div>
  );
}
