/**
 * The key that this page proves itself with, beside its cookie. It arrives once, in the fragment of the address, and is
 * kept where no page of another origin or port can read it.
 */
const NAME = 'supervisor-page-key';
const FRAGMENT = /^#key=([\w-]{43})$/;

/** Takes the key out of the address, so that it is in no bookmark and no history. */
export function keepPageKey(): void {
  const key = FRAGMENT.exec(location.hash)?.[1];
  if (key === undefined) return;
  localStorage.setItem(NAME, key);
  history.replaceState(null, '', location.pathname + location.search);
}

export function pageKey(): string {
  return localStorage.getItem(NAME) ?? '';
}
