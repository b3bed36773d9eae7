import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { refusedWrites } from './allowed-writes.ts';

type Case = readonly [why: string, globs: string, inside: string, changed: string, refused: string];

const CASES: readonly Case[] = [
  ['an empty list allows nothing', '', '', 'a', 'a'],
  ['a name allows that file', 'a', '', 'a b', 'b'],
  ['a name of a folder allows what is in it', 'coverage', '', 'coverage/x/y', ''],
  ['a slash at the end changes nothing', 'coverage/', '', 'coverage/x', ''],
  ['a star stays in its folder', 'src/*.snap', '', 'src/a.snap src/b/c.snap', 'src/b/c.snap'],
  ['two stars go through folders', '**/*.snap', '', 'a.snap b/c.snap b/c.js', 'b/c.js'],
  ['a longer name is another file', 'out', '', 'output', 'output'],
  ['globs start in the folder of the user', 'out', 'app', 'app/out/x out/x', 'out/x'],
  ['a dot is a dot', 'a.b', '', 'axb', 'axb'],
];

describe('the allowed writes of a gate', () => {
  for (const [why, globs, inside, changed, refused] of CASES)
    test(why, () => {
      const list = (text: string): string[] => (text === '' ? [] : text.split(' '));
      assert.deepEqual(refusedWrites(list(changed), list(globs), inside), list(refused));
    });
});
