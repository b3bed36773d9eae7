import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isLook } from './is-look.ts';

describe('a call only looks', () => {
  const cases: [why: string, tool: string, subject: string | undefined, is: boolean][] = [
    ['if its tool reads', 'Read', 'a.ts', true],
    ['if a tool of a server reads', 'mcp__files__read_file', 'a.ts', true],
    ['if a tool of a server gets something', 'jira-get_issue', undefined, true],
    ['if a tool of a server lists, in one word', 'github.issuesList', undefined, true],
    ['if it searches', 'Bash', 'rg name src | head -5', true],
    ['if it shows a file in an editor', 'text_editor', 'view a.ts', true],
    ['if it reads a page', 'bash', 'curl -s https://docs.example', true],
    ['if it reads two files', 'bash', 'cat a; cat b', true],
    ['not if its tool replaces what it finds', 'search_replace', 'a.ts', false],
    ['not if it presses a key', 'browser_press_key', undefined, false],
    ['not if it sends data', 'Bash', 'curl -X POST https://a.example', false],
    ['not if it writes', 'Bash', 'cat a > b', false],
    ['not if one part does more', 'Bash', 'cat a; make', false],
    ['not if its name only contains such a word', 'forget_it', undefined, false],
  ];
  for (const [why, tool, subject, is] of cases)
    test(why, () => assert.equal(isLook({ tool, ...(subject !== undefined && { subject }) }), is));
});
