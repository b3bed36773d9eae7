/** The form in which the view of a run is stored. */
import { NO_BUDGET_SPENT } from './budget-view.ts';
import type { RunView } from './run-view.ts';

const NONE: RunView['caveats'] = [];
const NONE_ACCEPTED: RunView['accepted'] = [];

/** The fields that a stored view leaves out if they have this value. */
export const EMPTY_FIELDS = {
  budget: NO_BUDGET_SPENT,
  quota: null,
  answer: null,
  caveats: NONE,
  agent: null,
  name: null,
  gate: null,
  accepted: NONE_ACCEPTED,
  login: null,
  heldCall: null,
  continues: null,
  children: 0,
  lastAttempt: 0,
  workFiles: 0,
  committed: null,
  workflow: null,
  failure: null,
};

type LeftOut = Pick<RunView, keyof typeof EMPTY_FIELDS>;
type StoredView = Omit<RunView, keyof LeftOut | 'task'> & {
  readonly [Field in keyof LeftOut]?: LeftOut[Field] | undefined;
};

/**
 * The stored part of a view. A view is written again with every fact, so it leaves out the task, which may
 * be long and is in the first fact. It also leaves out empty fields.
 */
export function storedView(view: RunView): StoredView {
  const {
    task: _,
    budget,
    quota,
    answer,
    caveats,
    agent,
    name,
    gate,
    login,
    heldCall,
    ...others
  } = view;
  const {
    continues,
    children,
    lastAttempt,
    workFiles,
    workflow,
    accepted,
    committed,
    failure,
    ...rest
  } = others;
  return {
    ...rest,
    continues: continues ?? undefined,
    lastAttempt: lastAttempt === 0 ? undefined : lastAttempt,
    workFiles: workFiles === 0 ? undefined : workFiles,
    budget: budget === NO_BUDGET_SPENT ? undefined : budget,
    quota: quota ?? undefined,
    answer: answer ?? undefined,
    agent: agent ?? undefined,
    name: name ?? undefined,
    gate: gate ?? undefined,
    committed: committed ?? undefined,
    failure: failure ?? undefined,
    accepted: accepted.length === 0 ? undefined : accepted,
    login: login ?? undefined,
    heldCall: heldCall ?? undefined,
    children: children === 0 ? undefined : children,
    workflow: workflow ?? undefined,
    caveats: caveats.length === 0 ? undefined : caveats,
  };
}

/** The whole view, from its stored part as it was read from JSON. */
export function wholeView(stored: StoredView, task: string): RunView {
  // A field that is undefined here was not written.
  return { ...EMPTY_FIELDS, ...(stored as Omit<RunView, 'task'>), task };
}
