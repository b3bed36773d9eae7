/** Addresses inside this machine or a private network, or without a host: a public name must not resolve to them. */
import { BlockList, isIP } from 'node:net';

const V4_SPECIAL: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16], // link-local, with the metadata services of clouds
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
const V4_PRIVATE: readonly (readonly [string, number])[] = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
];
const V6_SPECIAL: readonly (readonly [string, number])[] = [
  ['::', 96], // loopback, unspecified, and IPv4-compatible addresses
  ['::ffff:0:0', 96], // IPv4-mapped
  ['64:ff9b::', 96], // NAT64
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4: an embedded IPv4 address
  ['3fff::', 20],
  ['5f00::', 16],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];

const V6_PRIVATE: readonly (readonly [string, number])[] = [['fc00::', 7]];

/** One list for each family: in a common list, an IPv4 address would match the rules for IPv4-mapped addresses. */
const LISTS = {
  ipv4: { special: blockList(V4_SPECIAL, 'ipv4'), private: blockList(V4_PRIVATE, 'ipv4') },
  ipv6: { special: blockList(V6_SPECIAL, 'ipv6'), private: blockList(V6_PRIVATE, 'ipv6') },
} as const;

function blockList(
  nets: readonly (readonly [string, number])[],
  family: 'ipv4' | 'ipv6',
): BlockList {
  const list = new BlockList();
  for (const [net, bits] of nets) list.addSubnet(net, bits, family);
  return list;
}

/** `private`: in a local network. `special`: never a valid destination. */
export type AddressKind = 'public' | 'private' | 'special';

export function addressKind(address: string): AddressKind {
  const version = isIP(address);
  // Not an address, or one with a zone, which only link-local addresses need.
  if (version === 0 || address.includes('%')) return 'special';
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (LISTS[family].special.check(address, family)) return 'special';
  return LISTS[family].private.check(address, family) ? 'private' : 'public';
}

/** The destinations that a host name may resolve to, besides public addresses. */
export type NetworkReach = {
  /** A private network. */
  readonly isPrivate?: boolean;
  /** This machine. Without `isPrivate`, nothing but this machine. */
  readonly isLoopback?: boolean;
};

/** Whether an address that a name resolved to may be dialled. */
export function mayDial(address: string, { isPrivate, isLoopback }: NetworkReach): boolean {
  if (isLoopback === true && isLoopbackAddress(address)) return true;
  if (isLoopback === true && isPrivate !== true) return false;
  const kind = addressKind(address);
  return kind === 'public' || (kind === 'private' && isPrivate === true);
}

/** A name may resolve to a private network or to this machine only if the user's settings list it. */
export function networkReach(host: string, privateHosts: readonly string[]): NetworkReach {
  const isNamed = privateHosts.includes(host);
  if (isNamed) return { isPrivate: true, isLoopback: true };
  return host === 'localhost' ? { isLoopback: true } : {};
}

const LOOPBACK = {
  ipv4: blockList([['127.0.0.0', 8]], 'ipv4'),
  ipv6: blockList([['::1', 128]], 'ipv6'),
};

/** Whether the address never leaves this machine. */
export function isLoopbackAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 0 || address.includes('%')) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  return LOOPBACK[family].check(address, family);
}
