/** Known bugs with input, stored data and resumed work. */
import type { Bug } from './named-tests.ts';

const LESSONS = 'src/attempts/lessons.test.ts';
const DECIDE = 'src/attempts/decide.test.ts';
const WORDS = 'src/attempts/attempts-messages.test.ts';
const ARTIFACTS = 'test/gates/artifact-isolation.test.ts';

export const RECORD_BUGS: readonly Bug[] = [
  // Input and stored data
  [
    'quotes in a prompt are changed',
    [
      'test/real/adapters.test.ts',
      '3: takes a long and strange prompt whole, works, and continues',
    ],
  ],
  [
    'state of another version is dropped silently',
    ['src/store/sqlite/database.test.ts', 'an unknown one is refused with both versions'],
  ],
  [
    'a new field is missing if settings are built by hand',
    ['src/settings/settings.test.ts', 'have the default of each key that a section leaves out'],
  ],
  [
    'other users can read stored data',
    [
      'src/host/files/atomic-files.test.ts',
      'a private folder is created with its parents, and closed if it was open',
    ],
  ],
  [
    'the ids of a run are enough to read its artifacts',
    [ARTIFACTS, 'are private to our user at every moment, whatever the umask is'],
    [ARTIFACTS, 'of another run are not collected under any name that an agent can make'],
    [ARTIFACTS, 'of another run are not visible to a sandboxed agent, even if it knows their ids'],
    ['src/server/refusals.test.ts', 'a run id that is a path to a parent folder'],
  ],
  [
    'the log contains secrets of an environment',
    [
      'test/real/budgets.test.ts',
      'a secret that an agent prints in every form is found nowhere in stored data',
    ],
  ],
  [
    'the next agent does not see the existing work',
    [
      'test/real/chain.test.ts',
      'the second finds the work of the first, and its prompt describes it',
    ],
  ],
  [
    'the attempt number in the prompt never changes',
    [
      LESSONS,
      'the prompt of an attempt has the right number, and describes the attempt before it correctly',
    ],
  ],
  [
    "a machine's text passes for a person's",
    [
      WORDS,
      'names the last agent, its output, the red gate and its output, and ends with the task',
    ],
  ],
  // Resuming
  [
    'nothing can be resumed',
    [
      'test/crash/owner-killed.test.ts',
      'an owner that is killed again and again loses no fact and leaves no agent',
    ],
  ],
  [
    'a conversation that is gone loses the attempt',
    [DECIDE, "starts a new conversation if the old one can't be resumed, which uses up no retry"],
    [
      'test/real/broken-session.test.ts',
      '${cli}: a conversation that is ${how} is replaced by a new one',
    ],
  ],
];
