import { Fragment } from 'react';

/** The reason of a refusal. Where it is longer than its line it breaks between words, not in one. */
export function Reason({ reason }: { readonly reason: string }) {
  return reason.split('_').map((word, at) => (
    <Fragment key={at}>
      {at > 0 && '_'}
      {at > 0 && <wbr />}
      {word}
    </Fragment>
  ));
}
