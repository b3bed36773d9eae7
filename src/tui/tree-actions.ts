/** What a person can do to a long-lived agent. */
import type { Action } from './action.ts';
import { asking, sending, step, textCommand } from './action.ts';
import { selectedNode } from './selected-rows.ts';
import type { TopState } from './top-state.ts';
import { opened, questionOf } from './top-state.ts';

export function treeActions(state: TopState): readonly Action[] {
  const agent = selectedNode(state)?.agent ?? null;
  const run = agent?.run ?? 'AGENT';
  const none = agent === null ? 'no agent is selected' : undefined;
  const over = none ?? (agent?.ended === true ? 'the agent has ended' : undefined);
  const question = questionOf(state, agent?.run ?? null);
  const choices = question?.choices ?? [];
  const canRestart = choices.includes('restart')
    ? undefined
    : 'it asks for no restart: its supervisor restarts it by itself';
  const restart = `supervisor answer ${run} restart`;
  return [
    {
      key: 'enter',
      does: 'open the agent',
      disabled: none,
      command: `supervisor logs ${run}`,
      run: (now) => step(opened(now, { kind: 'run', run, tab: 'output', scroll: 0 })),
    },
    {
      ...{ key: 'm', does: 'message', disabled: over, command: `supervisor send ${run} …` },
      run: (now) =>
        asking(now, {
          title: `A message to ${agent?.name ?? ''}`,
          command: (text) => textCommand('send', run, text),
          send: (then, text) =>
            sending(then, {
              kind: 'send',
              agent: run,
              text,
              command: textCommand('send', run, text),
            }),
        }),
    },
    {
      ...{ key: 'r', does: 'restart', disabled: over ?? canRestart, command: restart },
      run: (now) =>
        question === undefined
          ? step(now)
          : sending(now, {
              kind: 'answer',
              run,
              key: question.key,
              choice: 'restart',
              command: restart,
            }),
    },
    {
      ...{ key: 'D', does: 'dismiss', disabled: over, command: `supervisor dismiss ${run}` },
      run: (now) =>
        asking(now, {
          ...{
            title: `Dismiss ${agent?.name ?? ''} and its children? Work and history are kept.`,
            form: 'confirm',
          },
          command: () => `supervisor dismiss ${run}`,
          send: (then) =>
            sending(then, { kind: 'dismiss', agent: run, command: `supervisor dismiss ${run}` }),
        }),
    },
  ];
}
