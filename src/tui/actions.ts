/**
 * What a person can do on the screen that is shown, each with its key and the command that does the same. What can't be
 * done now says why. The help lists these, and the loop looks up the key that was pressed.
 */
import type { QueryCompletion } from '../protocol/complete-query.ts';
import { runStatus } from '../protocol/views/run-status.ts';
import type { Action } from './action.ts';
import { asking, sending, step, textCommand } from './action.ts';
import type { Request } from './effect.ts';
import { completeQuery, namesOf } from '../protocol/complete-query.ts';
import { batchActions, markActions } from './batch-actions.ts';
import { reviewActions } from './review-actions.ts';
import type { RunScreen, KeyStep, TopState } from './top-state.ts';
import { closed, opened, questionOf, replaced, rowOf, shown, TABS } from './top-state.ts';
import { selectedRun } from './selected-rows.ts';
import { treeActions } from './tree-actions.ts';

export function actionsFor(state: TopState): readonly Action[] {
  const screen = shown(state);
  const own =
    screen.kind === 'review'
      ? reviewActions(state, screen)
      : screen.kind === 'tree'
        ? treeActions(state)
        : screen.kind === 'list' && state.marked.size > 0
          ? [...batchActions(state), ...markActions(state), ...placeActions(state)]
          : inOrder(placeActions(state), [
              ...controlActions(state),
              ...(screen.kind === 'list' ? markActions(state) : []),
            ]);
  return [...own, ...commonActions(state)];
}

const COMMANDS = {
  output: (id: string) => `supervisor logs ${id}`,
  story: (id: string) => `supervisor why ${id}`,
  timeline: (id: string) => `supervisor status ${id}`,
  facts: (id: string) => `supervisor events ${id}`,
} as const;

/** What a run asks comes first, so that the line of the keys shows it on every screen. */
function inOrder(
  places: readonly Action[],
  [answering, ...others]: readonly Action[],
): readonly Action[] {
  return answering === undefined ? places : [answering, ...places, ...others];
}

/** To other views of the selected run. */
function placeActions(state: TopState): readonly Action[] {
  const run = selectedRun(state);
  const none = run === null ? 'no run is selected' : undefined;
  const id = run ?? 'RUN';
  const isList = shown(state).kind === 'list';
  const goTo = (key: string, tab: RunScreen['tab'], does: string): Action => ({
    ...{ key, does, disabled: none, command: COMMANDS[tab](id) },
    run: (now) => {
      const next = { kind: 'run', run: id, tab, scroll: 0 } as const;
      return step(isList ? opened(now, next) : replaced(now, next));
    },
  });
  const places = isList
    ? [
        goTo('enter', 'output', 'open the run'),
        goTo('l', 'output', 'its output'),
        goTo('w', 'story', 'why it stands there'),
      ]
    : TABS.map((tab, nth) => goTo(String(nth + 1), tab, tab));
  return [
    ...places,
    {
      ...{ key: 'd', does: 'review the change', command: `supervisor diff ${id}` },
      disabled: none ?? (hasWork(state, run) ? undefined : 'the run has changed no files yet'),
      run: (now) => step(openReview(now, id)),
    },
  ];
}

function openReview(state: TopState, run: string): TopState {
  return opened({ ...state, comments: [] }, { kind: 'review', run, file: 0, line: 0 });
}

function hasWork(state: TopState, run: string | null): boolean {
  return (
    (rowOf(state, run)?.view.workFiles ?? 0) > 0 || questionOf(state, run)?.approval !== undefined
  );
}

/** To the run itself. */
function controlActions(state: TopState): readonly Action[] {
  const run = selectedRun(state);
  const view = rowOf(state, run)?.view;
  const id = run ?? 'RUN';
  const question = questionOf(state, run);
  const status = view === undefined ? null : runStatus(view);
  const over =
    view === undefined
      ? 'no run is selected'
      : view.outcome === null
        ? undefined
        : 'the run has ended';
  const waits =
    status === 'cooling' || status === 'retrying'
      ? undefined
      : 'it waits for no retry and no limit';
  const works = status === 'running' ? undefined : 'no agent works on it now';
  const signal =
    (kind: Extract<Request, { kind: 'signal' }>['signal']) =>
    (now: TopState): KeyStep =>
      sending(now, { kind: 'signal', run: id, signal: kind, command: `supervisor ${kind} ${id}` });
  const confirm =
    (kind: 'stop' | 'kill', title: string) =>
    (now: TopState): KeyStep =>
      asking(now, {
        title,
        form: 'confirm',
        command: () => `supervisor ${kind} ${id}`,
        send: (then) => signal(kind)(then),
      });
  const tell =
    (verb: 'steer' | 'queue' | 'interrupt', title: string) =>
    (now: TopState): KeyStep => {
      const command = (text: string): string => textCommand(verb, id, text);
      return asking(now, {
        ...{ title, command, isOptional: verb === 'interrupt' },
        send: (then, text) =>
          sending(then, { kind: 'tell', run: id, request: { verb, text }, command: command(text) }),
      });
    };
  const pause = view?.pausedAt === null || view === undefined ? 'pause' : 'unpause';
  return [
    {
      ...{
        key: 'a',
        does: 'answer or approve',
        command:
          question?.approval === undefined
            ? `supervisor answer ${question?.run ?? id} …`
            : `supervisor approve ${question.run}`,
      },
      disabled: over ?? (question === undefined ? 'this run asks nothing' : undefined),
      run: (now) => answer(now, id),
    },
    {
      key: 's',
      does: 'steer: a message now',
      command: `supervisor steer ${id} …`,
      disabled: over ?? works,
      run: tell('steer', 'A message that the agent reads while it works'),
    },
    {
      key: 'Q',
      does: 'queue a message',
      command: `supervisor queue ${id} …`,
      disabled: over,
      run: tell('queue', 'A message that the agent reads after its turn'),
    },
    {
      key: 'i',
      does: 'interrupt its turn',
      command: `supervisor interrupt ${id} …`,
      disabled: over ?? works,
      run: tell('interrupt', 'Stop its turn, and tell it (optional)'),
    },
    {
      key: 'p',
      does: pause,
      command: `supervisor ${pause} ${id}`,
      disabled: over,
      run: signal(pause),
    },
    {
      key: 'r',
      does: 'retry now',
      command: `supervisor retry-now ${id}`,
      disabled: over ?? waits,
      run: signal('retry-now'),
    },
    {
      key: 'n',
      does: 'next agent',
      command: `supervisor next ${id}`,
      disabled: over,
      run: signal('next'),
    },
    {
      key: 'x',
      does: 'stop',
      command: `supervisor stop ${id}`,
      disabled: over,
      run: confirm('stop', 'Stop this run? Its agent gets time to exit.'),
    },
    {
      key: 'K',
      does: 'kill',
      command: `supervisor kill ${id}`,
      disabled: over,
      run: confirm('kill', 'Kill this run and all its processes now?'),
    },
  ];
}

/** An approval is decided where its change is shown. */
function answer(state: TopState, run: string): KeyStep {
  const question = questionOf(state, run);
  if (question === undefined) return step(state);
  const { run: asker } = question;
  if (question.approval !== undefined) return step(openReview(state, asker));
  const choices = question.choices.length === 0 ? '' : ` (${question.choices.join(', ')})`;
  const command = (text: string): string =>
    question.about === 'keys' ? `supervisor resume ${asker}` : textCommand('answer', asker, text);
  return asking(state, {
    ...{ title: `${question.question}${choices}`, command },
    send: (now, choice) =>
      sending(now, {
        ...{ kind: 'answer', run: asker, key: question.key, choice },
        command: command(choice),
      }),
  });
}

function commonActions(state: TopState): readonly Action[] {
  const screen = shown(state);
  const isTop = state.screens.length === 1;
  const isList = screen.kind === 'list';
  return [
    {
      ...{ key: '/', does: 'filter', disabled: isList ? undefined : 'only the list has a filter' },
      command: state.query === '' ? 'supervisor status' : `supervisor status ${state.query}`,
      run: (now) =>
        asking(now, {
          ...{ title: 'Show', value: now.query, isOptional: true, completions: queryCompletions },
          command: (query) => `supervisor status ${query}`.trim(),
          send: (then, query) => step({ ...then, query: query.trim(), prompt: null }),
        }),
    },
    {
      ...{ key: ':', does: 'jump to a run', disabled: undefined },
      run: (now) =>
        asking(now, {
          title: 'The id of a run, or tree',
          command: (id) => `supervisor attach ${id}`,
          send: jump,
        }),
    },
    {
      ...{
        key: 'T',
        does: 'tree of agents',
        disabled: screen.kind === 'tree' ? 'this is the tree' : undefined,
      },
      ...{
        command: 'supervisor tree --all',
        run: (now) => step(opened(now, { kind: 'tree', selected: null })),
      },
    },
    {
      key: '?',
      does: 'keys',
      disabled: undefined,
      run: (now) => step({ ...now, isHelp: !now.isHelp, notice: null }),
    },
    {
      ...{
        key: 'escape',
        does: isTop && state.marked.size > 0 ? 'mark none' : 'back',
        disabled:
          isTop && state.query === '' && state.marked.size === 0
            ? 'this is the first screen; q leaves'
            : undefined,
      },
      run: (now) => step(isTop ? withoutMarks(now) : closed(now)),
    },
    {
      key: 'q',
      does: 'leave; the runs continue',
      disabled: undefined,
      run: (now) => step(now, { kind: 'quit', code: 0 }),
    },
  ];
}

/** One thing at a time: the marks first, then the query. */
function withoutMarks(state: TopState): TopState {
  if (state.marked.size > 0) return { ...state, marked: new Set(), notice: null };
  return { ...state, query: '', notice: null };
}

function queryCompletions({ board }: TopState, query: string): readonly QueryCompletion[] {
  return completeQuery(
    query,
    namesOf([...(board.rows?.values() ?? [])].map(({ row }) => row.view)),
  );
}

function jump(state: TopState, place: string): KeyStep {
  const now = { ...state, prompt: null };
  const word = place.trim().toLowerCase();
  if (word === 'tree') return step(opened(now, { kind: 'tree', selected: null }));
  const found = [...(state.board.rows?.keys() ?? [])].filter(
    (id) => word !== '' && id.startsWith(word),
  );
  const [run] = found;
  if (run !== undefined && found.length === 1)
    return step(opened(now, { kind: 'run', run, tab: 'output', scroll: 0 }));
  const text =
    found.length === 0
      ? `No run here has an id that begins with ${JSON.stringify(place)}.`
      : `${found.length} runs have an id that begins with ${JSON.stringify(place)}: type more of it.`;
  return step({ ...now, notice: { text, isProblem: true } });
}
