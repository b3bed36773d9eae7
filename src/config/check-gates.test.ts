import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadSettings } from './load-settings.ts';

type Case = readonly [why: string, gates: string, problem: string | undefined];

const CASES: readonly Case[] = [
  ['a plain gate loads', '- {name: a, command: [npm, test]}', undefined],
  [
    'a long dash and curly quotes are refused with the plain form',
    '- {name: a, command: [npm, test, \u2014grep, \u201Ca\u201D]}',
    '/h/config.yaml:2:22: gates[0].command: it has typographic quotes or dashes, which no program understands: write npm test --grep "a"',
  ],
  [
    'a name in depends_on must be a gate',
    '- {name: lint, command: [a]}\n- {name: test, command: [b], depends_on: [lnt]}',
    '/h/config.yaml:3:43: gates[1].depends_on[0]: no gate is called "lnt" (did you mean "lint"?)',
  ],
  [
    'a name in depends_on that is like no gate has no suggestion',
    '- {name: test, command: [b], depends_on: [nothing]}',
    '/h/config.yaml:2:43: gates[0].depends_on[0]: no gate is called "nothing"',
  ],
  [
    'gates in a circle are refused',
    '- {name: a, command: [x], depends_on: [b]}\n- {name: b, command: [x], depends_on: [a]}',
    '/h/config.yaml:2:39: gates[0].depends_on: gates depend on one another in a circle: a, then b, then a',
  ],
  [
    'a gate that depends on a later one loads',
    '- {name: a, command: [x], depends_on: [b]}\n- {name: b, command: [x]}',
    undefined,
  ],
  [
    'a shell needs allow_shell',
    '- {name: a, command: [sh, -c, make]}',
    '/h/config.yaml:2:22: gates[0].command: sh -c starts a shell: add allow_shell: true to this gate',
  ],
  [
    'commands are joined by a shell only',
    '- {name: a, command: [make, lint, "&&", make, test]}',
    '/h/config.yaml:2:22: gates[0].command: && joins commands only in a shell: write [sh, -c, …] with allow_shell: true, or two gates',
  ],
  [
    'a line in place of a list is refused with the list',
    '- {name: a, command: [npm test]}',
    '/h/config.yaml:2:22: gates[0].command: "npm test" is one element with a space, so it is taken as the name of one program: write [npm, test]',
  ],
  [
    'a line with more arguments too',
    '- {name: a, command: [node --test, "a b.js", "7"]}',
    '/h/config.yaml:2:22: gates[0].command: "node --test" is one element with a space, so it is taken as the name of one program: write [node, --test, "a b.js", "7"]',
  ],
  [
    'a line that joins commands needs a shell',
    '- {name: a, command: ["npm test && make"]}',
    '/h/config.yaml:2:22: gates[0].command: "npm test && make" is one element with a space, so it is taken as the name of one program: write [sh, -c, "npm test && make"]',
  ],
  ['a path with a blank loads', '- {name: a, command: [/opt/my tools/check]}', undefined],
  [
    'a shell behind another program needs it too',
    '- {name: a, command: [timeout, "5", bash, -lc, make]}',
    '/h/config.yaml:2:22: gates[0].command: timeout … bash -lc starts a shell: add allow_shell: true to this gate',
  ],
  [
    'a shell loads with allow_shell',
    '- {name: a, command: [sh, -c, make], allow_shell: true}',
    undefined,
  ],
  [
    'a protected variable is refused',
    '- {name: a, command: [npm, test], env: {LD_PRELOAD: x.so}}',
    '/h/config.yaml:2:53: gates[0].env.LD_PRELOAD: LD_PRELOAD can change what the gate runs: set it in the command, such as [env, LD_PRELOAD=…, npm]',
  ],
  ['another variable loads', '- {name: a, command: [npm, test], env: {TZ: UTC}}', undefined],
  [
    'a folder outside the project is refused',
    '- {name: a, command: [x], working_dir: ../b}',
    '/h/config.yaml:2:40: gates[0].working_dir: expected a path inside the project, without . and .., found "../b"',
  ],
];

describe('the gates of a configuration', () => {
  for (const [why, gates, problem] of CASES)
    test(why, async () => {
      const text = `gates:\n${gates}\n`;
      const readFile = async (path: string): Promise<string | undefined> =>
        path === '/h/config.yaml' ? text : undefined;
      const loading = loadSettings({ home: '/h', userDir: '/u', readFile });
      const error: unknown = await loading.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      assert.equal(error instanceof Error ? error.message : error, problem);
    });
});
