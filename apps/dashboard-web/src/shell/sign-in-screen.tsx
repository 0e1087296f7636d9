import { Alert, Button, Card, Container, Divider, Group, Image, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiError } from '../api/api-error';
import { api, contentOf, SDK } from '../api/client';
import { meQuery, type Me } from '../api/queries';
import { ownPath } from '../browser/search-params';
import { served } from '../browser/served';
import { hasPasskeys, usePasskey } from '../passkey/browser-passkeys';
import { Form } from '../ui/form';
import { Problem } from '../ui/problem';
import type { BrowserWallet } from '../wallet/browser-wallets';
import { signInText } from '../wallet/sign-in-text';
import { connect, signText, useWallets } from '../wallet/use-wallet';

/** Ways in: by a wallet, by a passkey, by a link that is mailed, by a code from the command line. */
export function SignInScreen() {
  const { from, ended } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [link, setLink] = useState(takeFromLink);
  const [wantsCode, setWantsCode] = useState(false);
  const [uninvited, setUninvited] = useState<Entered>();
  const enter = ({ me }: Entered) => {
    queries.clear();
    queries.setQueryData(meQuery.queryKey, me);
    void navigate({ to: ownPath(from), replace: true });
  };
  const onDone = (entered: Entered) => (entered.refusal === undefined ? enter(entered) : setUninvited(entered));
  const onError = (error: unknown) => {
    if (error instanceof ApiError && error.reason === 'SECOND_FACTOR_REQUIRED') setWantsCode(true);
  };
  useEffect(() => {
    document.title = 'Sign in · Paymaster';
    // A link that is opened in this tab changes the fragment only.
    const readAnew = () => {
      const { code, invitation } = takeFromLink();
      if (!code && !invitation) return;
      setLink((before) => ({ code, invitation: invitation || before.invitation }));
      if (code) setWantsCode(false);
    };
    window.addEventListener('hashchange', readAnew);
    return () => window.removeEventListener('hashchange', readAnew);
  }, []);
  useEffect(() => {
    // A session that waits for a code outlives a reload.
    if (!link.code) contentOf(api.GET(`${SDK}/session`)).catch(onError);
  }, [link.code]);
  return (
    <Container size={460} py={48} component="main">
      <Stack gap="lg">
        <Group gap={8}>
          <img src="/favicon.svg" width={26} height={26} alt="" />
          <Text fw={700}>Paymaster</Text>
        </Group>
        <div>
          <Title order={1} size="h2">
            Sign in
          </Title>
          <Text c="dimmed">Say what you sponsor, who pays, and see what became of every operation.</Text>
        </div>
        {(ended || from) && (
          <Alert color="yellow" title={ended ? 'Your session has ended' : 'You are not signed in'}>
            {ended && 'It was ended, or not used for long. '}Sign in, and you come to the screen that you wanted to see.
          </Alert>
        )}
        {link.invitation && (
          <Alert color="blue" title="You are invited">
            Sign in, and you are a member of the account that invited you.
          </Alert>
        )}
        {uninvited ? (
          <Card>
            <Stack>
              <Problem error={uninvited.refusal} what="You are signed in, but the invitation was not accepted" />
              <Group justify="flex-end">
                <Button onClick={() => enter(uninvited)}>Go on</Button>
              </Group>
            </Stack>
          </Card>
        ) : wantsCode ? (
          <SecondFactorStep link={link} onDone={onDone} onGiveUp={() => setWantsCode(false)} />
        ) : (
          <Card>
            <Stack>
              <WalletSignIn link={link} onDone={onDone} onError={onError} />
              <Divider label="or" />
              {hasPasskeys() && (
                <>
                  <PasskeySignIn link={link} onDone={onDone} />
                  <Divider label="or" />
                </>
              )}
              {served.hasMail && (
                <>
                  <MailSignIn />
                  <Divider label="or" />
                </>
              )}
              <CodeSignIn key={link.code} link={link} onDone={onDone} onError={onError} />
            </Stack>
          </Card>
        )}
      </Stack>
    </Container>
  );
}

/** Who is signed in, and why the invitation of the link was not accepted, if it was not. */
interface Entered {
  readonly me: Me;
  readonly refusal?: unknown;
}

interface Props {
  readonly link: Link;
  readonly onDone: (entered: Entered) => void;
}

interface FirstFactorProps extends Props {
  /** May say that a second factor is wanted. */
  readonly onError: (error: Error) => void;
}

function WalletSignIn({ link: { invitation }, onDone, onError }: FirstFactorProps) {
  const wallets = useWallets();
  const signIn = useMutation({
    mutationFn: (wallet: BrowserWallet) => signInWith(wallet, invitation),
    onSuccess: onDone,
    onError,
  });
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        With your wallet
      </Title>
      <Text size="sm" c="dimmed">
        You sign a text in the wallet. No transaction is sent, and it costs nothing.
      </Text>
      {wallets.length === 0 && (
        <Alert color="gray" title="This browser has no wallet">
          Install a wallet extension and reload this page, or use a code.
        </Alert>
      )}
      {wallets.map((wallet) => (
        <Button
          key={wallet.id}
          variant="default"
          justify="flex-start"
          leftSection={wallet.icon && <Image src={wallet.icon} w={20} h={20} alt="" />}
          loading={signIn.isPending && signIn.variables === wallet}
          onClick={() => signIn.mutate(wallet)}
        >
          Sign in with {wallet.name}
        </Button>
      ))}
      {signIn.error && <Problem error={signIn.error} what="You are not signed in" />}
    </Stack>
  );
}

async function signInWith(wallet: BrowserWallet, invitation: string): Promise<Entered> {
  const address = await connect(wallet);
  const current = Number(await wallet.provider.request({ method: 'eth_chainId' }));
  const chainId = served.chainIds.find((each) => each === current) ?? served.chainIds[0] ?? current;
  const { nonce } = await contentOf(api.GET(`${SDK}/session/nonce`));
  const message = signInText({ address, chainId, nonce, origin: window.location.origin, now: new Date() });
  const signature = await signText(wallet, address, message);
  const body = { message, signature, ...(invitation && { invitation }) };
  return { me: await contentOf(api.POST(`${SDK}/session/wallet`, { body })) };
}

function PasskeySignIn({ link: { invitation }, onDone }: Props) {
  const signIn = useMutation({
    mutationFn: async () => {
      const body = await usePasskey(await contentOf(api.GET(`${SDK}/session/passkey`)));
      return accepted(await contentOf(api.POST(`${SDK}/session/passkey`, { body })), invitation);
    },
    onSuccess: onDone,
  });
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        With a passkey
      </Title>
      <Text size="sm" c="dimmed">
        Your device checks your PIN, finger or face. You add a passkey on the screen You, once you are signed in.
      </Text>
      <Button variant="default" justify="flex-start" loading={signIn.isPending} onClick={() => signIn.mutate()}>
        Sign in with a passkey
      </Button>
      {signIn.error && <Problem error={signIn.error} what="You are not signed in" />}
    </Stack>
  );
}

/** The link leads back to this screen, with its code in the field below; nothing is spent before a press of the button. */
function MailSignIn() {
  const [address, setAddress] = useState('');
  const send = useMutation({
    mutationFn: () => contentOf(api.POST(`${SDK}/session/mail-link`, { body: { address: address.trim() } })),
  });
  return (
    <Form onSubmit={() => send.mutate()}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          With a link by mail
        </Title>
        <TextInput
          type="email"
          label="Mail address"
          description="You confirm it on the screen You, once you are signed in."
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value)}
          maxLength={254}
          autoComplete="email"
        />
        {send.error && <Problem error={send.error} what="No link was sent" />}
        {send.isSuccess && (
          <Alert color="blue" title="Look into your mail" role="status">
            If this address is confirmed here, a link is on its way. Open it in this browser within 15 minutes; it works
            once.
          </Alert>
        )}
        <Group justify="flex-end">
          <Button type="submit" variant="default" loading={send.isPending} disabled={address.trim() === ''}>
            Mail me a link
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

/** Accepts the invitation of the link, where there is one. A refusal ends no sign-in: the session is open. */
async function accepted(me: Me, invitation: string): Promise<Entered> {
  if (!invitation) return { me };
  try {
    await contentOf(api.POST(`${SDK}/invitations/accept`, { body: { code: invitation } }));
    return { me: await contentOf(api.GET(`${SDK}/session`)) };
  } catch (refusal) {
    return { me, refusal };
  }
}

function CodeSignIn({ link: { code: sent, invitation }, onDone, onError }: FirstFactorProps) {
  const [code, setCode] = useState(sent);
  const signIn = useMutation({
    mutationFn: async () => {
      const me = await contentOf(api.POST(`${SDK}/session/code`, { body: { code: code.trim() } }));
      return accepted(me, invitation);
    },
    onSuccess: onDone,
    onError,
  });
  return (
    <Form onSubmit={() => signIn.mutate()}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          With a one-time code
        </Title>
        <TextInput
          label="Code"
          description={
            sent
              ? 'Your link brought it. A link by mail works once, in the browser that asked for it.'
              : 'The operator makes a code on the command line. It works once.'
          }
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
        {signIn.error && <Problem error={signIn.error} what="You are not signed in" />}
        <Group justify="flex-end">
          <Button type="submit" loading={signIn.isPending} disabled={code.trim() === ''}>
            Sign in with the code
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

/** The second step, for people who have a second factor. */
function SecondFactorStep({ link: { invitation }, onDone, onGiveUp }: Props & { readonly onGiveUp: () => void }) {
  const [code, setCode] = useState('');
  const complete = useMutation({
    mutationFn: async () =>
      accepted(await contentOf(api.POST(`${SDK}/session/second-factor`, { body: { code } })), invitation),
    onSuccess: onDone,
  });
  return (
    <Card>
      <Form onSubmit={() => complete.mutate()}>
        <Stack gap="sm">
          <Title order={2} size="h4">
            Your second factor
          </Title>
          <TextInput
            label="Code of your device"
            description="Or a recovery code. Without both, ask the operator of this installation."
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            maxLength={64}
            autoComplete="one-time-code"
            spellCheck={false}
            autoFocus
          />
          {complete.error && <Problem error={complete.error} what="You are not signed in yet" />}
          <Group justify="space-between">
            <Button variant="default" onClick={onGiveUp}>
              Sign in another way
            </Button>
            <Button type="submit" loading={complete.isPending} disabled={code.trim() === ''}>
              Go on
            </Button>
          </Group>
        </Stack>
      </Form>
    </Card>
  );
}

interface Link {
  readonly code: string;
  readonly invitation: string;
}

/**
 * What a link `/sign-in#code=…` or `#invitation=…` brings, which is then taken out of the address bar and the history.
 * It is not sent before its reader says so: otherwise a link could sign somebody into an account that is not theirs.
 */
function takeFromLink(): Link {
  const fragment = new URLSearchParams(window.location.hash.slice(1));
  if (window.location.hash) {
    window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search);
  }
  return { code: fragment.get('code') ?? '', invitation: fragment.get('invitation') ?? '' };
}
