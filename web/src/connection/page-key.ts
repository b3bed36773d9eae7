/**
 * The key that this page proves itself with, beside its cookie. It arrives once, in the fragment of the address, and is
 * kept where no page of another origin or port can read it.
 */
const NAME = 'supervisor-page-key';
const FRAGMENT = /^#key=([\w-]{43})$/;

/**
 * Takes the key out of the address, so that it is in no bookmark and no history. Any page can send a browser to an
 * address with a key of its own, which must not replace one that works. After a real link the old one does not: the
 * link has set another cookie.
 */
export async function keepPageKey(): Promise<void> {
  const key = FRAGMENT.exec(location.hash)?.[1];
  if (key === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  if (!(await hasAccess())) localStorage.setItem(NAME, key);
}

async function hasAccess(): Promise<boolean> {
  if (pageKey() === '') return false;
  const headers = { 'x-supervisor-page': pageKey() };
  // An owner that can't be asked has refused nothing.
  return fetch('/v1/session', { headers }).then(
    ({ ok }) => ok,
    () => true,
  );
}

export function pageKey(): string {
  return localStorage.getItem(NAME) ?? '';
}
