import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { renderMermaid } from '../graph-text.ts';
import { parseFeature } from '../parse-feature.ts';

const START = 'id: P1T7\ntitle: A graph\nnodes:\n';
const A = '  - { id: a, kind: task, files: [a] }\n';
const B = '  - { id: b, kind: task, files: [b] }\n';
const GATE = '  - { id: g, kind: gate, gates: [e2e], after: [a] }\n';
const IF =
  '  - { id: if, kind: branch, after: [g], when: { field: g.result, operator: equals, value: green }, then: [b] }\n';

/** One line for each component: `name kind <after> onlyIf`. Or the refusal. */
function read(nodes: string): string {
  try {
    const { phases } = parseFeature(`${START}${nodes}`, 'g.yaml');
    const all = phases.flatMap(({ components }) => components);
    const nameOf = (id: string): string => all.find((one) => one.id === id)?.name ?? id;
    return all
      .map(({ name, node, dependsOn, onlyIf = [] }) => {
        const guards = onlyIf.map((one) => ` ${nameOf(one.node)}=${one.is}`).join('');
        return `${name} ${node?.kind ?? 'task'} <${dependsOn.map(nameOf).join(' ')}>${guards}`;
      })
      .join('\n');
  } catch (error) {
    if (isRefusal(error, 'feature.invalid')) return error.message;
    throw error;
  }
}

describe('a graph file', () => {
  const whole: readonly [why: string, nodes: string, components: readonly string[]][] = [
    ['has nodes that wait for each other', `${A}${GATE}`, ['a task <>', 'g gate <a>']],
    [
      'lets the nodes of a branch wait for it, and for its answer',
      `${A}${GATE}${IF}${B}`,
      ['a task <>', 'g gate <a>', 'if branch <g>', 'b task <if> if=yes'],
    ],
    [
      'takes out what stands inside of parallel nodes and subgraphs',
      `${A}  - id: both
    kind: parallel
    after: [a]
    nodes:
      - { id: a, kind: task, files: [b] }
      - id: sub
        kind: subgraph
        nodes: [{ id: x, kind: task, files: [x] }, { id: y, kind: task, files: [x], after: [x] }]
`,
      [
        ...['a task <>', 'both.a task <a>', 'both.sub.x task <a>', 'both.sub.y task <both.sub.x>'],
        ...['both.sub merge <both.sub.x both.sub.y>', 'both merge <both.a both.sub>'],
      ],
    ],
    [
      'writes rounds one after the other, each behind a no of the one before',
      `  - id: fix
    kind: subgraph
    repeat: { until: { field: g.result, operator: equals, value: green }, max: 2 }
    nodes:
    ${A}    ${GATE}`,
      [
        ...['fix#1.a task <>', 'fix#1.g gate <fix#1.a>', 'fix#1 round <fix#1.a fix#1.g>'],
        ...['fix#2.a task <fix#1> fix#1=no', 'fix#2.g gate <fix#2.a>'],
        ...['fix#2 round <fix#2.a fix#2.g>', 'fix merge <fix#1 fix#2>'],
      ],
    ],
    [
      'may own a file twice if only one of both can run',
      `${A}${GATE}${IF.replace('then: [b]', 'then: [b], else: [c]')}${B}${B.replace('id: b', 'id: c')}`,
      [...['a task <>', 'g gate <a>', 'if branch <g>', 'b task <if> if=yes'], 'c task <if> if=no'],
    ],
  ];
  for (const [why, nodes, components] of whole)
    test(why, () => assert.equal(read(nodes), components.join('\n')));

  const refused: readonly [why: string, nodes: string, message: string][] = [
    [
      'an unknown kind',
      A.replace('kind: task', 'kind: job'),
      'g.yaml:4:20: nodes[0].kind: expected one of task, gate, branch, merge, parallel, subgraph, human, found "job"',
    ],
    [
      'an unknown key',
      A.replace('files', 'file'),
      'g.yaml:4:26: unknown key "file" in nodes[0] (did you mean "files"?)',
    ],
    [
      'more than ten rounds',
      `  - { id: s, kind: subgraph, repeat: { until: { field: a.result, operator: equals, value: landed }, max: 11 }, nodes: [{ id: a, kind: task, files: [a] }] }`,
      'g.yaml:4:106: nodes[0].repeat.max: expected a whole number from 1 to 10, found 11',
    ],
    [
      'a key of another kind',
      `${A}${GATE.replace('after', 'files: [x], after')}`,
      'g.yaml:5:47: "g" is a gate node, which has no files',
    ],
    [
      'a missing key',
      '  - { id: a, kind: task }',
      'g.yaml:4:5: "a" is a task node, which needs files',
    ],
    [
      'an unknown node under after',
      `${A}${GATE.replace('[a]', '[aa]')}`,
      'g.yaml:5:48: no node here is called "aa" (did you mean "a"?)',
    ],
    [
      'an unknown node in a condition',
      `${A}${GATE}${IF.replace('g.result', 'gg.result')}${B}`,
      'g.yaml:6:56: no node is called "gg" (did you mean "g"?)',
    ],
    [
      'a field that the node does not have',
      `${A}${GATE}${IF.replace('g.result', 'g.files')}${B}`,
      'g.yaml:6:56: "g" has no files; it has result, exit, coverage',
    ],
    [
      'a value that the field never has',
      `${A}${GATE}${IF.replace('value: green', 'value: gren')}${B}`,
      'g.yaml:6:91: "g.result" is never "gren" (did you mean "green"?); it is one of green, red, skipped',
    ],
    [
      'an operator for numbers beside a word',
      `${A}${GATE}${IF.replace('equals', 'at_most')}${B}`,
      'g.yaml:6:76: "g.result" is a word, and at_most compares numbers',
    ],
    [
      'a word beside a number',
      `${A}${GATE}${IF.replace('g.result', 'g.exit')}${B}`,
      'g.yaml:6:89: "g.exit" is a number, and "green" is none',
    ],
    [
      'a list where one value is compared',
      `${A}${GATE}${IF.replace('value: green', 'value: [green]')}${B}`,
      'g.yaml:6:91: equals needs one value',
    ],
    [
      'a condition about a node that does not come before',
      `${A}${GATE}${IF.replace(', after: [g]', '')}${B}`,
      'g.yaml:6:44: "if" does not wait for "g": add it under after',
    ],
    [
      'a node under then and else',
      `${A}${GATE}${IF.replace('[b]', '[b], else: [b]')}${B}`,
      'g.yaml:6:118: "b" is under then and under else, so it would never run',
    ],
    [
      'nodes that wait for each other',
      `${A.replace(' }', ', after: [b] }')}${B.replace(' }', ', after: [a] }')}`,
      'g.yaml:4:45: the components wait for each other: a waits for b waits for a',
    ],
    [
      'two nodes that can run together and own the same file',
      `${A}${B.replace('[b]', '[a]')}`,
      'g.yaml:5:34: b and a can run at the same time and both own "a": let one depend on the other',
    ],
    [
      'two nodes that own the same file, of which a merge lets both run',
      `${A}${GATE}${IF.replace('[b]', '[b], else: [d]')}${B}  - { id: m, kind: merge, after: [b, a] }
  - { id: c, kind: task, files: [x], after: [m] }\n  - { id: d, kind: task, files: [x] }`,
      'g.yaml:10:34: d and c can run at the same time and both own "x": let one depend on the other',
    ],
    [
      'an order inside of parallel nodes',
      '  - { id: p, kind: parallel, nodes: [{ id: a, kind: task, files: [a] }, { id: b, kind: task, files: [b], after: [a] }] }',
      'g.yaml:4:73: the nodes of "p" run side by side, and "b" needs an order: use a subgraph',
    ],
    [
      'more than four parallel nodes',
      `  - id: p\n    kind: parallel\n    nodes:\n${[1, 2, 3, 4, 5].map((n) => `      - { id: a${n}, kind: task, files: [a${n}] }\n`).join('')}`,
      'g.yaml:7:7: "p" has 5 nodes side by side, and the limit is 4: divide them',
    ],
    [
      'a merge of nothing',
      '  - { id: m, kind: merge }',
      'g.yaml:4:5: "m" merges nothing: name what it waits for under after',
    ],
    [
      'rounds of rounds that become too many',
      `  - id: s
    kind: subgraph
    repeat: { until: { field: t.result, operator: equals, value: done }, max: 10 }
    nodes:
      - id: t
        kind: subgraph
        repeat: { until: { field: a1.result, operator: equals, value: landed }, max: 10 }
        nodes:
${Array.from({ length: 20 }, (_, n) => `          - { id: a${n}, kind: task, files: [a${n}] }\n`).join('')}`,
      'g.yaml:4:3: 2121 nodes with all rounds; the limit is 1000',
    ],
  ];
  for (const [why, nodes, message] of refused)
    test(`is refused with ${why}`, () => assert.equal(read(nodes), message));

  test('is drawn with a form for each kind, and the answers of its branches', () => {
    const feature = parseFeature(
      `${START}${A}${GATE}${IF}${B}  - { id: h, kind: human, question: Now?, after: [a] }\n  - { id: m, kind: merge, after: [b, h] }\n`,
      'g.yaml',
    );
    assert.equal(
      renderMermaid(feature).replaceAll('P1T7_PH1_', ''),
      `flowchart LR
  subgraph P1T7_PH1["graph"]
    C1["a"]
    C2[["gate e2e"]]
    C3{"if g.result equals green"}
    C4["b"]
    C5(["Now?"])
    C6(("after b, h"))
  end
  C1 --> C2
  C2 --> C3
  C3 -- yes --> C4
  C1 --> C5
  C4 --> C6
  C5 --> C6
`,
    );
  });
});
