import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseHostPort } from './host-port.ts';
import type { HostPort } from './host-port.ts';
import { addressKind } from './private-addresses.ts';
import type { AddressKind } from './private-addresses.ts';

describe('an authority', () => {
  const cases: [text: string, parsed: HostPort | undefined][] = [
    ['model.test:443', { host: 'model.test', port: 443 }],
    ['MODEL.Test:443', { host: 'model.test', port: 443 }],
    ['localhost:1', { host: 'localhost', port: 1 }],
    ['a-b.c--d.test:65535', { host: 'a-b.c--d.test', port: 65_535 }],
    ['xn--bcher-kva.test:443', { host: 'xn--bcher-kva.test', port: 443 }],
    ...[
      'model.test',
      'model.test:',
      'model.test:0',
      'model.test:0443',
      'model.test:65536',
      'model.test:+443',
      'model.test:443 ',
      ' model.test:443',
      'model.test.:443',
      '.model.test:443',
      'model..test:443',
      '-model.test:443',
      'model-.test:443',
      'mod_el.test:443',
      'model.test:443:443',
      'user@model.test:443',
      'model.test:443@elsewhere.test:443',
      'model.test/:443',
      'https://model.test:443',
      'model.test%00:443',
      'model.test\0.elsewhere.test:443',
      'model.test\r\nhost: x:443',
      'bücher.test:443',
      'model。test:443',
      '127.0.0.1:443',
      '127.1:443',
      '2130706433:443',
      '0x7f000001:443',
      '0x7f.1:443',
      '017700000001:443',
      '[::1]:443',
      '[::ffff:127.0.0.1]:443',
      '::1:443',
      `${'a'.repeat(64)}.test:443`,
      `${'a.'.repeat(130)}test:443`,
      ':443',
      '',
    ].map((text): [string, undefined] => [text, undefined]),
  ];
  for (const [text, parsed] of cases)
    test(`${JSON.stringify(text).slice(0, 60)} is ${parsed === undefined ? 'refused' : 'accepted'}`, () =>
      assert.deepEqual(parseHostPort(text), parsed));
});

describe('an address', () => {
  const cases: Readonly<Record<AddressKind, readonly string[]>> = {
    public: ['93.184.216.34', '1.1.1.1', '2606:4700::1111', '172.15.0.1', '100.63.0.1', '11.0.0.1'],
    private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', 'fd00::1'],
    special: [
      '127.0.0.1',
      '127.255.255.254',
      '0.0.0.0',
      '169.254.169.254',
      '224.0.0.1',
      '255.255.255.255',
      '192.0.2.1',
      '198.18.0.1',
      '::',
      '::1',
      '::127.0.0.1',
      '::ffff:127.0.0.1',
      '::ffff:8.8.8.8',
      '::FFFF:7f00:1',
      '0:0:0:0:0:ffff:7f00:1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '2001:db8::1',
      'fe80::1',
      'fe80::1%eth0',
      'ff02::1',
      'model.test',
      '',
    ],
  };
  for (const [kind, addresses] of Object.entries(cases))
    for (const address of addresses)
      test(`${address} is ${kind}`, () => assert.equal(addressKind(address), kind));
});
