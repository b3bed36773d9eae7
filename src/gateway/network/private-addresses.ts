/** Addresses that lead back into this machine, this network, or nowhere: no name may resolve to them. */
import { BlockList, isIP } from 'node:net';

const V4_SPECIAL: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16], // link-local, with the clouds' metadata
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
  ['100.64.0.0', 10], // behind a provider's own translation
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
];
const V6_SPECIAL: readonly (readonly [string, number])[] = [
  ['::', 96], // loopback, unspecified, and v4 in an old disguise
  ['::ffff:0:0', 96], // v4 in v6
  ['64:ff9b::', 96], // v4 behind a translator
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4: v4 again
  ['3fff::', 20],
  ['5f00::', 16],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];

const V6_PRIVATE: readonly (readonly [string, number])[] = [['fc00::', 7]];

/** A list for each family: in a common one v4 would match what is said of v4 in v6. */
const LISTS = {
  ipv4: { special: listOf(V4_SPECIAL, 'ipv4'), private: listOf(V4_PRIVATE, 'ipv4') },
  ipv6: { special: listOf(V6_SPECIAL, 'ipv6'), private: listOf(V6_PRIVATE, 'ipv6') },
} as const;

function listOf(nets: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [net, bits] of nets) list.addSubnet(net, bits, family);
  return list;
}

/** `private`: of somebody's own network; `special`: never a place to go to. */
export type AddressKind = 'public' | 'private' | 'special';

export function addressKind(address: string): AddressKind {
  const version = isIP(address);
  // What is no address, or one with a zone, which only a link-local one needs.
  if (version === 0 || address.includes('%')) return 'special';
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (LISTS[family].special.check(address, family)) return 'special';
  return LISTS[family].private.check(address, family) ? 'private' : 'public';
}

/** Where the name of a host may lead, besides public addresses. */
export type NetworkReach = {
  /** Into a private network. */
  readonly isPrivate?: boolean;
  /** To this machine; without `isPrivate`, nowhere else. */
  readonly isLoopback?: boolean;
};

/** Whether this address, which a name has resolved to, may be dialled. */
export function mayDial(address: string, { isPrivate, isLoopback }: NetworkReach): boolean {
  if (isLoopback === true && isLoopbackAddress(address)) return true;
  if (isLoopback === true && isPrivate !== true) return false;
  const kind = addressKind(address);
  return kind === 'public' || (kind === 'private' && isPrivate === true);
}

/** A name may lead into a private network or to this machine only where the user's settings name it. */
export function networkReach(host: string, privateHosts: readonly string[]): NetworkReach {
  const isNamed = privateHosts.includes(host);
  if (isNamed) return { isPrivate: true, isLoopback: true };
  return host === 'localhost' ? { isLoopback: true } : {};
}

const LOOPBACK = { ipv4: listOf([['127.0.0.0', 8]], 'ipv4'), ipv6: listOf([['::1', 128]], 'ipv6') };

/** Whether it is this machine, and never left it. */
export function isLoopbackAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 0 || address.includes('%')) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  return LOOPBACK[family].check(address, family);
}
