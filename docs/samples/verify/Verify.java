// Receives calls of Parley, with nothing but Java 17. Start it with: SECRETS=whsec_… PORT=8080 java Verify.java
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Verify {
  // Two while you replace one. Never an empty one, which everybody knows.
  static final List<String> SECRETS = Arrays.stream(Objects.requireNonNull(System.getenv("SECRETS"), "Set SECRETS").split(","))
      .filter(secret -> !secret.isEmpty()).toList();
  static final long TOLERANCE_MS = 300_000;
  static final int MOST_BYTES = 1024 * 1024;

  // Headers are not signed, the body is: what both say must be the same.
  static final Map<String, String> FIELD_OF = Map.of(
      "Idempotency-Key", "id",
      "X-Service-Event", "type",
      "X-Service-Tenant-Id", "tenantId",
      "X-Service-Environment-Id", "environmentId", // null where an event concerns no environment
      "X-Service-Action-Id", "actionId");

  record Answer(int status, String text) {}

  static String header(Headers headers, String name) {
    return Objects.requireNonNullElse(headers.getFirst(name), "");
  }

  // Each secret against each signature, to the end: how long it takes tells nobody anything.
  static boolean isSigned(Headers headers, byte[] body) throws GeneralSecurityException {
    boolean isGood = false;
    for (String secret : SECRETS) {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      mac.update((header(headers, "X-Service-Timestamp") + ".").getBytes(StandardCharsets.UTF_8));
      byte[] expected = ("v1=" + HexFormat.of().formatHex(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
      for (String given : header(headers, "X-Service-Signature").split(","))
        isGood |= MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), expected);
    }
    return isGood;
  }

  static boolean isRecent(String timestamp) {
    return timestamp.matches("[0-9]{10,11}")
        && Math.abs(System.currentTimeMillis() - Long.parseLong(timestamp) * 1000) <= TOLERANCE_MS;
  }

  static Answer answerTo(Headers headers, byte[] body) throws GeneralSecurityException {
    if (!isSigned(headers, body)) return new Answer(401, "bad signature");
    if (!isRecent(header(headers, "X-Service-Timestamp"))) return new Answer(401, "too old, or from the future");
    Map<String, String> event = textsOf(new String(body, StandardCharsets.UTF_8));
    if (event == null) return new Answer(400, "not an event");
    for (var each : FIELD_OF.entrySet())
      if (event.containsKey(each.getValue()) && !header(headers, each.getKey()).equals(event.get(each.getValue())))
        return new Answer(401, each.getKey() + " differs from the body");
    // Your work begins here. Do that of one `id` once: the same event may come again.
    System.out.println(event.get("type") + " " + event.get("id"));
    return new Answer(200, "ok");
  }

  // The texts on the top level of an object, all that is compared here. Java reads no JSON by itself: if you have
  // Jackson or Gson, take that instead.
  static Map<String, String> textsOf(String json) {
    Map<String, String> texts = new HashMap<>();
    String text = null;
    String key = null;
    int depth = 0;
    for (int at = 0; at < json.length(); at++) {
      char mark = json.charAt(at);
      if (mark == '{' || mark == '[') depth++;
      if (mark == '}' || mark == ']') depth--;
      if (mark == ':' && depth == 1) key = text;
      if (mark == ',' && depth == 1) key = null;
      if (mark != '"') continue;
      int from = at + 1;
      for (at = from; at < json.length() && json.charAt(at) != '"'; at++) if (json.charAt(at) == '\\') at++;
      if (at >= json.length()) return null;
      text = json.substring(from, at);
      if (depth == 1 && key != null) texts.put(key, text);
    }
    return depth == 0 && json.startsWith("{") ? texts : null;
  }

  public static void main(String[] args) throws IOException {
    int port = Integer.parseInt(Objects.requireNonNullElse(System.getenv("PORT"), "8080"));
    HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
    server.setExecutor(Executors.newFixedThreadPool(8));
    server.createContext("/", exchange -> {
      // The bytes as they came: JSON that is written anew has another signature.
      byte[] body = exchange.getRequestBody().readNBytes(MOST_BYTES);
      Answer answer;
      try {
        answer = answerTo(exchange.getRequestHeaders(), body);
      } catch (GeneralSecurityException missing) {
        answer = new Answer(500, "no HMAC-SHA-256 here");
      }
      byte[] text = answer.text().getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(answer.status(), text.length);
      exchange.getResponseBody().write(text);
      exchange.close();
    });
    server.start();
  }
}
