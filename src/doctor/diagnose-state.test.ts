import { describe } from 'node:test';
import type { FindingCase } from '../testing/finding-cases.ts';
import { testFindings } from '../testing/finding-cases.ts';
import { goodMachine } from '../testing/machine-facts.ts';
import { diagnoseState } from './diagnose-state.ts';

describe('where the state is kept', () => {
  const cases: readonly FindingCase[] = [
    [
      'a state folder to be',
      {},
      'state-folder',
      ['ok', '/home/ada/.supervisor', 'it is made by the first run', null],
    ],
    [
      'a state folder that others can read',
      { state: { ...goodMachine.state, kind: 'there', nearest: "/home/ada/it's" } },
      'state-folder',
      [
        'limited',
        '/home/ada/.supervisor',
        'other users of this machine can look into it',
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
        '/home/ada cannot be written to',
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
        'it is on another machine, where SQLite can lose what two processes write',
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
  ];
  testFindings(cases, (facts) => diagnoseState(facts));
});
