/** Words of other tools for what a command of Supervisor does. They are no commands: the answer names the right one. */

const APPLY_UNDO = ['undo an apply', 'supervisor apply --undo'] as const;
const LIST = ['list the runs', 'supervisor status --all'] as const;
const STOP = ['stop a run', 'supervisor stop last'] as const;
const RESUME = ['continue a run that has ended', 'supervisor resume last'] as const;
const SHOW = ['see what a run did', 'supervisor why last'] as const;
const DISCARD = ['delete the workspace of a run', 'supervisor discard last'] as const;
const START = ['give a task to an agent', 'supervisor run "fix the failing test"'] as const;

/** Each with what the person probably wants, and what to type. */
const SYNONYMS: Readonly<Record<string, readonly (readonly [aim: string, line: string])[]>> = {
  undo: [APPLY_UNDO],
  revert: [APPLY_UNDO, ['take the work of a task out', 'supervisor rollback last']],
  restore: [APPLY_UNDO],
  list: [LIST],
  history: [LIST],
  cancel: [STOP],
  abort: [STOP],
  log: [['read what the agents said', 'supervisor logs']],
  tail: [['follow the output of a run', 'supervisor logs --follow']],
  continue: [RESUME],
  restart: [RESUME],
  retry: [RESUME, ['end the wait of a run', 'supervisor retry-now last']],
  show: [SHOW, ['see the changes of a run', 'supervisor diff']],
  info: [SHOW],
  inspect: [SHOW],
  commit: [['apply the work of a run and commit it', 'supervisor apply --commit']],
  merge: [['apply the work of a run', 'supervisor apply']],
  delete: [DISCARD],
  remove: [DISCARD],
  start: [START],
  exec: [START],
};

/** Lines for a person. Empty: the word is no synonym. */
export function suggestSynonyms(word: string): readonly string[] {
  const found = Object.hasOwn(SYNONYMS, word) ? (SYNONYMS[word] ?? []) : [];
  return found.map(([aim, line]) => `To ${aim}: ${line}`);
}
