import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ListEdit, MapEdit } from './edit-sections.ts';
import { editSections } from './edit-sections.ts';

const TEXT = `# My agents.
attempt:
  grace:    5s       # aligned on purpose

# Two accounts.
agents:
  # the good one
  - id: deep
    cli: claude # paid by the company
    model: opus
  - {id: fast, cli: codex}   # cheap

  # not used often
  - id: local
    cli: custom
    command: [./agent.sh, "{prompt_file}"]

selection:
  mode: fallback   # in order
limits: {}   # as they are
`;

function edit(text: string, items: readonly ListEdit[], set: MapEdit = {}): string | undefined {
  return editSections(text, {
    list: { key: 'agents', items },
    map: { key: 'selection', set },
  });
}

const same = [0, 1, 2].map((was): ListEdit => ({ was, set: {} }));

/** The lines that went away, and those that came, without the space at their ends and between words. */
function difference(before: string, after: string | undefined): object {
  const lines = (text: string): readonly string[] =>
    text.split('\n').map((line) => line.trim().replaceAll(/ +/g, ' '));
  const [old, now] = [lines(before), lines(after ?? '')];
  return {
    gone: old.filter((line) => line !== '' && !now.includes(line)),
    came: now.filter((line) => line !== '' && !old.includes(line)),
  };
}

describe('a change of sections', () => {
  const cases: readonly [
    why: string,
    items: readonly ListEdit[],
    set: MapEdit,
    expected: object,
  ][] = [
    ['of nothing changes no line', same, {}, { gone: [], came: [] }],
    [
      'of a value keeps its comment',
      [{ was: 0, set: { cli: 'gemini' } }, ...same.slice(1)],
      {},
      { gone: ['cli: claude # paid by the company'], came: ['cli: gemini # paid by the company'] },
    ],
    [
      'of a map keeps comments too',
      same,
      { mode: 'round-robin', pinned: null },
      { gone: ['mode: fallback # in order'], came: ['mode: round-robin # in order'] },
    ],
    [
      'removes a value',
      [{ was: 0, set: { model: null } }, ...same.slice(1)],
      {},
      { gone: ['model: opus'], came: [] },
    ],
    [
      'adds an item',
      [...same, { was: null, set: { id: 'new', cli: 'codex', model: null } }],
      {},
      { gone: [], came: ['- id: new', 'cli: codex'] },
    ],
    [
      'adds a map',
      same,
      { fallbacks: { deep: 'fast' } },
      { gone: [], came: ['fallbacks:', 'deep: fast'] },
    ],
  ];
  for (const [why, items, set, expected] of cases)
    test(why, () => assert.deepEqual(difference(TEXT, edit(TEXT, items, set)), expected));

  test('leaves everything outside of the sections byte for byte', () => {
    const after =
      edit(
        TEXT,
        [
          { was: 2, set: {} },
          { was: 0, set: { id: 'x' } },
        ],
        { mode: 'pinned' },
      ) ?? '';
    assert.ok(after.startsWith(TEXT.slice(0, TEXT.indexOf('agents:'))));
    assert.ok(after.endsWith('limits: {}   # as they are\n'));
  });

  test('moves an item with the comments that belong to it', () => {
    const after =
      edit(
        TEXT,
        [1, 0, 2].map((was) => ({ was, set: {} })),
      ) ?? '';
    const order = ['id: fast', '# cheap', 'id: deep', '# paid by', '# not used often', 'id: local'];
    const places = order.map((one) => after.indexOf(one));
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
    assert.ok(places.every((at) => at > 0));
  });

  test('adds sections to a text without them, and to an empty one', () => {
    const items = [{ was: null, set: { id: 'a', cli: 'claude' } }];
    const added = 'agents:\n  - id: a\n    cli: claude\n\nselection:\n  mode: pinned\n';
    assert.equal(edit('', items, { mode: 'pinned' }), added);
    assert.equal(
      edit('# only words\nlimits: {}\n', items, { mode: 'pinned' }),
      `# only words\nlimits: {}\n\n${added}`,
    );
  });

  test('removes a section that becomes empty', () => {
    assert.equal(edit('agents:\n  - id: a\n    cli: codex\n\nlimits: {}\n', []), 'limits: {}\n');
  });

  test('keeps a list that replaces those of other files', () => {
    const text = 'agents:\n  replace:\n    - id: a\n      cli: codex\n';
    assert.equal(edit(text, [{ was: 0, set: { id: 'b' } }]), text.replace('id: a', 'id: b'));
  });

  test('is refused where anchors connect places of the text', () => {
    const text = 'agents:\n  - &one {id: a, cli: codex}\n';
    assert.equal(edit(text, [{ was: 0, set: { id: 'b' } }]), undefined);
  });
});
