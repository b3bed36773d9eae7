/** How a child ended, in OTP's terms. */
export type Exit =
  | { readonly kind: 'normal' }
  /** Meant to end; `detail` says what for, as OTP's `{shutdown, detail}` does. */
  | { readonly kind: 'shutdown'; readonly detail?: string }
  | { readonly kind: 'killed' }
  | { readonly kind: 'failed'; readonly reason: string };

/** Ends that were meant to be: `normal` and `shutdown`. All others are failures. */
export function isNormalExit(exit: Exit): boolean {
  return exit.kind === 'normal' || exit.kind === 'shutdown';
}
