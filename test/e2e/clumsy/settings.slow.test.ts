/** Settings that were written by hand in a hurry: the message names file, line and key. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'node:test';
import type { ClumsyCase, ClumsyWorld } from './clumsy-world.ts';
import { testClumsyCases } from './clumsy-world.ts';

const KNOWN_KEYS = /`supervisor schema config` prints all known keys/;

/** Settings of a home of their own, so that the others keep theirs. */
function written(text: string | Buffer): Pick<ClumsyCase, 'args' | 'prepare' | 'env'> {
  return prepared((home) => writeFileSync(join(home, 'config.yaml'), text));
}

function prepared(
  fill: (home: string, file: string) => void,
): Pick<ClumsyCase, 'args' | 'prepare' | 'env'> {
  const home = (world: ClumsyWorld): string => world.at('settings');
  return {
    args: ['config'],
    prepare: (world) => {
      rmSync(home(world), { recursive: true, force: true });
      mkdirSync(home(world), { mode: 0o700 });
      fill(home(world), join(home(world), 'config.yaml'));
    },
    env: (world) => ({ SUPERVISOR_HOME: home(world) }),
  };
}

/** Ten lines, each of which repeats the one before it ten times. */
const BOMB = [
  'default_agent: &a0 [x, x, x, x, x, x, x, x, x, x]',
  ...Array.from({ length: 9 }, (_, at) => `k${at}: &a${at + 1} [${`*a${at}, `.repeat(9)}*a${at}]`),
].slice(0, 3);

const REFUSED: readonly (readonly [act: string, text: string | Buffer, says: RegExp])[] = [
  [
    'a tab indents a line',
    'attempt:\n\tgrace: 5s\n',
    /config\.yaml:2:1: a tab is used for indentation: use spaces/,
  ],
  [
    'a key is given twice',
    'attempt: {grace: 5s}\nattempt: {grace: 6s}\n',
    /:2:1: the key "attempt" is given twice, first in line 1/,
  ],
  [
    'a number stands for keys',
    'attempt: 5\n',
    /:1:10: attempt: expected keys with values, found 5/,
  ],
  [
    'a key has a typo',
    'atempt: {grace: 5s}\n',
    /unknown key "atempt" \(did you mean "attempt"\?\)/,
  ],
  [
    'a key inside has a typo',
    'attempt: {grce: 5s}\n',
    /unknown key "grce" in attempt \(did you mean "grace"\?\)/,
  ],
  ['the file is one word', 'hello\n', /:1:1: expected keys with values, found "hello"/],
  ['the file is a list', '- a\n- b\n', /expected keys with values, found a list of 2/],
  ['the file is in UTF-16', Buffer.from('attempt: {}\n', 'utf16le'), /not plain UTF-8 text/],
  [
    'the file is in Latin-1',
    Buffer.from('default_agent: café\n', 'latin1'),
    /:1:\d+: not plain UTF-8 text/,
  ],
  ['the file has a NUL byte', 'attempt:\0 {grace: 5s}\n', /:1:9: not plain UTF-8 text/],
  [
    'the file is a program',
    Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0]),
    /not plain UTF-8 text/,
  ],
  ['a bracket is not closed', 'agents: [ {id: a, cli: claude}\n', /config\.yaml:1:9: /],
  ['a quote is not closed', 'default_agent: "abc\n', /config\.yaml:2:1: something is missing here/],
  [
    'a value has a colon',
    'default_agent: a: b\n',
    /two colons in one line: put the value in quotes/,
  ],
  ['an alias has no anchor', 'attempt: *nope\n', /the alias "\*nope" has no anchor before it/],
  ['the file has two documents', 'version: 1\n---\nversion: 1\n', /a second document starts here/],
  [
    'a value has a tag',
    'default_agent: !!js/function "x"\n',
    /a tag \(!name\) is not supported here/,
  ],
  ['aliases multiply', BOMB.join('\n'), /aliases|unknown key/],
  ['the version is of the future', 'version: 99\n', /version: expected 1, .* found 99/],
  [
    'two agents have one id',
    'agents:\n  - {id: a, cli: claude}\n  - {id: a, cli: codex}\n',
    /the name "a" is already taken at .*:2:10/,
  ],
  ['an agent has no id', 'agents:\n  - {cli: claude}\n', /agents\[0\] has no id/],
  [
    'an agent has an unknown CLI',
    'agents:\n  - {id: a, cli: cluade}\n',
    /expected one of scripted, claude, .* found "cluade"/,
  ],
  ['an id has a blank', 'agents:\n  - {id: "a b", cli: claude}\n', /found "a b"/],
  ['the default agent is not there', 'default_agent: nope\n', /no agent is called "nope"/],
  [
    'a count is negative',
    'limits: {attempts: -3}\n',
    /expected a whole number from 1 to 1000, found -3/,
  ],
  ['a count is a fraction', 'limits: {attempts: 2.5}\n', /found 2\.5/],
  ['a switch is yes', 'recovery: {wait_for_reset: yes}\n', /expected true or false, found "yes"/],
  [
    'a size has a blank',
    'attempt: {output_max: 10 MB}\n',
    /expected a size such as 512kB or 10MB.* found "10 MB"/,
  ],
  [
    'a key for a model stands in the wrong place',
    'agents:\n  - {id: a, cli: claude, api_key: sk-ant-api03-abcdefghij}\n',
    /^(?!.*sk-ant).*unknown key "api_key" in agents\[0\]/,
  ],
  [
    'gates are a text',
    'gates: npm test\n',
    /gates: expected a list of gates, such as \[\{name: test, command: \[npm, test\]\}\], found "npm test"/,
  ],
  [
    'a gate is a text',
    'gates:\n  - npm test\n',
    /:2:5: gates\[0\]: expected keys such as \{name: test, command: \[npm, test\]\}, found "npm test"/,
  ],
  [
    'the command of a gate is a text',
    'gates: [{name: test, command: npm test}]\n',
    /command: expected a list .*, such as \[npm, test\], found "npm test"/,
  ],
  [
    'the setup is a text',
    'setup: npm ci\n',
    /setup: expected keys such as \{command: \[npm, ci\]\}, found "npm ci"/,
  ],
  [
    'the file is too large',
    `default_agent: "${'x'.repeat(5_000_000)}"\n`,
    /too large: 256001 bytes; the limit is 256000/,
  ],
  ['brackets are nested without end', '['.repeat(3000), /nested more than 20 deep/],
];

const ACCEPTED: readonly (readonly [act: string, text: string, says: RegExp])[] = [
  ['the file is empty', '', /attempt\.grace +"10s" +default/],
  ['the file has only blanks', '\n\n   \n', /attempt\.grace +"10s" +default/],
  ['the file has only a comment', '# later\n', /attempt\.grace +"10s" +default/],
  [
    'the file begins with a mark of its encoding',
    '\uFEFFattempt: {grace: 5s}\n',
    /attempt\.grace +"5s"/,
  ],
  ['the file has line ends of Windows', 'attempt:\r\n  grace: 5s\r\n', /attempt\.grace +"5s"/],
  ['the file is JSON', '{"attempt": {"grace": "5s"}}\n', /attempt\.grace +"5s"/],
];

const NO_FILES: readonly ClumsyCase[] = [
  {
    act: 'the settings are a folder',
    ...prepared((_, file) => mkdirSync(file)),
    code: 2,
    says: /config\.yaml: the file cannot be read: it is a folder, not a file \(EISDIR\)/,
    remedy: /Make the file readable, or move it away/,
  },
  {
    act: 'the settings are a named pipe',
    ...prepared((_, file) => void execFileSync('mkfifo', [file])),
    code: 2,
    says: /config\.yaml: the file cannot be read: it is not a plain file/,
    remedy: /Make the file readable, or move it away/,
  },
  {
    act: 'the settings are a link to itself',
    ...prepared((_, file) => symlinkSync('config.yaml', file)),
    code: 2,
    says: /its symbolic links lead in a circle/,
    remedy: /Make the file readable, or move it away/,
  },
  {
    act: 'the settings are a link to nothing',
    ...prepared((_, file) => symlinkSync('dotfiles/supervisor.yaml', file)),
    code: 2,
    says: /config\.yaml: .* it is a symbolic link to dotfiles\/supervisor\.yaml, which does not exist/,
    remedy: /Create the file that the link names, or remove the link/,
  },
  {
    act: 'the settings are a device without end',
    ...prepared((_, file) => symlinkSync('/dev/zero', file)),
    code: 2,
    says: /too large: 256001 bytes/,
    remedy: KNOWN_KEYS,
  },
  {
    act: 'the settings have the other ending of YAML',
    ...prepared((home) => writeFileSync(join(home, 'config.yml'), 'version: 1\n')),
    code: 2,
    says: /config\.yml has a name that is not read/,
    remedy: /Rename it to config\.yaml/,
  },
  {
    act: 'the settings are closed to the user',
    args: ['config'],
    asNobody: true,
    prepare: (world) => {
      mkdirSync(world.at('closed-settings'), { mode: 0o755 });
      writeFileSync(world.at('closed-settings/config.yaml'), 'version: 1\n', { mode: 0o600 });
    },
    env: (world) => ({
      SUPERVISOR_HOME: world.at('closed-settings'),
      HOME: '/',
      NODE_COMPILE_CACHE: undefined,
    }),
    code: 2,
    says: /config\.yaml: the file cannot be read: you have no permission \(EACCES\)/,
    remedy: /Make the file readable, or move it away/,
  },
];

/** Projects whose own settings are not trusted, or not what belongs there. */
const PROJECTS: readonly ClumsyCase[] = [
  ...(
    [
      ['grace: 5s', 3, /untrusted has its own settings, which you have not trusted/],
      ['grace: soon', 2, /config\.yaml:1:18: attempt\.grace: expected a duration/],
    ] as const
  ).map(([setting, code, says]): ClumsyCase => ({
    act: `the settings of the project are not trusted, and have ${setting}`,
    args: ['config', '-p', '../untrusted'],
    prepare: (world) => {
      mkdirSync(world.at('untrusted/.supervisor'), { recursive: true });
      writeFileSync(world.at('untrusted/.supervisor/config.yaml'), `attempt: {${setting}}\n`);
    },
    code,
    says,
    remedy: code === 3 ? /supervisor trust .*untrusted/ : /Nothing was trusted\. Fix the file/,
  })),
  {
    act: 'a file is in the place of .supervisor',
    args: ['init', '--yes', '-p', '../misplaced'],
    prepare: (world) => {
      mkdirSync(world.at('misplaced'));
      writeFileSync(world.at('misplaced/.supervisor'), 'mine');
    },
    code: 2,
    says: /misplaced\/\.supervisor is a symbolic link, or not what belongs there/,
    remedy: /Move it away, then try again/,
  },
];

describe('settings that were written in a hurry', { timeout: 600_000 }, () => {
  testClumsyCases([
    ...REFUSED.map(([act, text, says]) => ({
      act,
      ...written(text),
      code: 2,
      says,
      remedy: KNOWN_KEYS,
    })),
    ...ACCEPTED.map(([act, text, says]) => ({ act, ...written(text), code: 0, says })),
    ...NO_FILES,
    ...PROJECTS,
  ]);
});
