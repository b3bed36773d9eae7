import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readXml } from './xml-events.ts';

function spell(text: string): string {
  return [...readXml(text)]
    .map((event) => {
      if (event.kind === 'text') return `"${event.text}"`;
      if (event.kind === 'close') return `/${event.name}`;
      return [event.name, ...[...event.attributes].map(([name, value]) => `${name}=${value}`)].join(
        ' ',
      );
    })
    .join(', ');
}

const CASES: readonly (readonly [why: string, xml: string, events: string])[] = [
  ['tags open and close', '<a><b></b></a>', 'a, b, /b, /a'],
  ['an empty tag does both', '<a/>', 'a, /a'],
  ['attributes have two kinds of quotes', `<a b="1" c='2'/>`, 'a b=1 c=2, /a'],
  ['a bracket in a value ends no tag', '<a b="1>2">x</a>', 'a b=1>2, "x", /a'],
  ['the five entities are read', '<a b="&lt;&amp;&quot;"/>', 'a b=<&", /a'],
  ['numbers of characters are read', '<a>&#65;&#x42;</a>', 'a, "AB", /a'],
  ['a number that is no character stays', '<a>&#x110000;</a>', 'a, "&#x110000;", /a'],
  [
    'other entities are not expanded',
    '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
    '"]>", a, "&x;", /a',
  ],
  ['CDATA is text', '<a><![CDATA[<b>&lt;]]></a>', 'a, "<b>&lt;", /a'],
  ['comments and instructions are left out', '<?xml v?><!-- <b> --><a/>', 'a, /a'],
  ['a namespace is left out', '<n:a x:b="1"/>', 'a b=1, /a'],
  ['a file that is cut ends', '<a b="', 'a'],
  ['what is no XML is text', 'hello', '"hello"'],
  ['nothing is nothing', '', ''],
];

describe('XML', () => {
  for (const [why, xml, events] of CASES) test(why, () => assert.equal(spell(xml), events));

  test('a file of open brackets ends', () => {
    assert.ok([...readXml('<a '.repeat(100_000))].length <= 1);
  });
});
