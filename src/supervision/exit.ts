/** How a child exited, in OTP's terms. */
export type Exit =
  | { readonly kind: 'normal' }
  /** An intended exit; `detail` gives the reason, as OTP's `{shutdown, detail}` does. */
  | { readonly kind: 'shutdown'; readonly detail?: string }
  | { readonly kind: 'killed' }
  | { readonly kind: 'failed'; readonly reason: string };

/** `normal` and `shutdown` are intended. All other exits are failures. */
export function isNormalExit(exit: Exit): boolean {
  return exit.kind === 'normal' || exit.kind === 'shutdown';
}
