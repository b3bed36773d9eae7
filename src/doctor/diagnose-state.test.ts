import { describe } from 'node:test';
import type { FindingCase } from '../../test/support/finding-cases.ts';
import { testFindings } from '../../test/support/finding-cases.ts';
import { goodMachine } from '../../test/support/machine-facts-fixture.ts';
import { diagnoseState } from './diagnose-state.ts';

describe('the diagnosis of the state', () => {
  const cases: readonly FindingCase[] = [
    [
      'a state folder to be',
      {},
      'state-folder',
      ['ok', '/home/ada/.supervisor', 'the first run creates it', null],
    ],
    [
      'a step that failed too often',
      { openBreakers: [{ project: '/shop', workflow: 'mvp', step: 'implement' }] },
      'breakers',
      [
        'limited',
        '1 open',
        'not started, because they failed too often: step implement of mvp in /shop; see supervisor breakers',
        null,
      ],
    ],
    [
      'a state folder that others can read',
      { state: { ...goodMachine.state, kind: 'there', nearest: "/home/ada/it's" } },
      'state-folder',
      [
        'limited',
        '/home/ada/.supervisor',
        'other users of this machine can read it',
        [String.raw`chmod 700 '/home/ada/it'\''s'`],
      ],
    ],
    [
      'a state folder that cannot be made',
      { state: { ...goodMachine.state, isWritable: false } },
      'state-folder',
      [
        'broken',
        '/home/ada/.supervisor',
        '/home/ada is not writable',
        ['sudo chown "$(id -u)" /home/ada'],
      ],
    ],
    [
      'a state folder on a network',
      { state: { ...goodMachine.state, disk: { freeBytes: 1e12, isRemote: true } } },
      'state-folder',
      [
        'limited',
        '/home/ada/.supervisor',
        'on a network file system, SQLite can lose data when two processes write',
        ['export SUPERVISOR_HOME=/path/on/a/local/disk'],
      ],
    ],
    [
      'a disk that fills up',
      { state: { ...goodMachine.state, disk: { freeBytes: 1_999_999_999, isRemote: false } } },
      'disk',
      ['limited', '2.0 GB free', 'less than 2.0 GB', null],
    ],
    [
      'a disk that is full',
      { state: { ...goodMachine.state, disk: { freeBytes: 99_999_999, isRemote: false } } },
      'disk',
      ['broken', '99 MB free', 'less than 100 MB', null],
    ],
    [
      'settings that can not be read',
      { settingsProblem: '/p/.supervisor/config.yaml:4:14: the bracket [ is never closed: add ]' },
      'settings',
      [
        'broken',
        null,
        '/p/.supervisor/config.yaml:4:14: the bracket [ is never closed: add ]',
        null,
      ],
    ],
    [
      'a sound journal',
      { journal: { kind: 'checked', facts: 12, problems: [], runs: [] } },
      'journal',
      ['ok', '12 facts, all intact', null, null],
    ],
    [
      'a journal of another release',
      { journal: { kind: 'other-version', version: 4 } },
      'journal',
      ['limited', 'schema version 4', 'not checked, because it belongs to another release', null],
    ],
    [
      'a journal with a damaged run',
      {
        journal: {
          kind: 'checked',
          facts: 12,
          problems: [],
          runs: [{ run: 'abc', what: 'fact 3 is damaged' }],
        },
      },
      'journal',
      [
        'limited',
        '/home/ada/.supervisor/journal.db',
        'damaged: run abc, fact 3 is damaged; other runs are not affected',
        ['cp /path/to/your/copy/journal.db /home/ada/.supervisor/journal.db'],
      ],
    ],
    [
      'a journal that is damaged as a whole',
      { journal: { kind: 'checked', facts: 0, problems: ['page 3 is no page'], runs: [] } },
      'journal',
      [
        'broken',
        '/home/ada/.supervisor/journal.db',
        'damaged: page 3 is no page',
        ['cp /path/to/your/copy/journal.db /home/ada/.supervisor/journal.db'],
      ],
    ],
    [
      'a sound journal in a database that has an owner',
      {
        journal: { kind: 'absent' },
        database: {
          text: 'database work on db.example:5432',
          journal: { kind: 'checked', facts: 12, problems: [], runs: [] },
          owner: { host: 'build-1', pid: 4711 },
        },
      },
      'journal',
      [
        'ok',
        '12 facts, all intact, in the database work on db.example:5432',
        'its owner is pid 4711 on build-1',
        null,
      ],
    ],
    [
      'a database that does not answer',
      {
        database: {
          text: 'database work on db.example:5432',
          journal: { kind: 'checked', facts: 0, problems: ['It cannot be used: ….'], runs: [] },
          owner: null,
        },
      },
      'journal',
      ['broken', 'database work on db.example:5432', 'It cannot be used: ….', null],
    ],
  ];
  testFindings(cases, (facts) => diagnoseState(facts));
});
