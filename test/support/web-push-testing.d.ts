declare module "web-push-testing/src/PushApiModel.js" {
  /** A push service in memory, with the parts that tests use. */
  export class PushApiModel {
    notifyUrl: string;
    subscribe(options: {
      readonly userVisibleOnly: string;
      readonly applicationServerKey: string;
    }): Promise<{
      readonly endpoint: string;
      readonly keys: { readonly p256dh: string; readonly auth: string };
      readonly clientHash: string;
    }>;
    handleNotification(hash: string, headers: object, body: Buffer): Promise<void>;
    getNotifications(of: { readonly clientHash: string }): { readonly messages: string[] };
    expireSubscription(clientHash: string): void;
  }
}
