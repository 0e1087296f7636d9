/** What the dashboard wrote into index.html when it served the page. */
export const served = {
  /** Of this page's Content-Security-Policy; style elements without it are ignored. */
  nonce: meta('csp-nonce'),
  /** The chains that the dashboard knows; a sign-in names one of them. */
  chainIds: meta('chain-ids').split(' ').filter(Boolean).map(Number),
  /** Where apps reach the gateway; empty where the operator has not said. */
  gatewayUrl: meta('gateway-url').replace(/\/$/, ''),
  /** Whether links to sign in can be mailed. */
  hasMail: meta('mail') === 'on',
};

function meta(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}
