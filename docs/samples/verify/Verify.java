// A webhook endpoint for Parley that needs only Java 17. Start it with: SECRETS=whsec_… PORT=8080 java Verify.java
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
  // Both, during a rotation. Never an empty one: anyone could sign with it.
  static final List<String> SECRETS = Arrays.stream(Objects.requireNonNull(System.getenv("SECRETS"), "Set SECRETS").split(","))
      .filter(secret -> !secret.isEmpty()).toList();
  static final long TOLERANCE_MS = 300_000;
  static final int MAX_BYTES = 1024 * 1024;

  // Only the body is signed, so these headers must match it.
  static final Map<String, String> FIELD_OF = Map.of(
      "Idempotency-Key", "id",
      "X-Service-Event", "type",
      "X-Service-Tenant-Id", "tenantId",
      "X-Service-Environment-Id", "environmentId", // null if the event has no environment
      "X-Service-Action-Id", "actionId");

  record Response(int status, String text) {}

  static String header(Headers headers, String name) {
    return Objects.requireNonNullElse(headers.getFirst(name), "");
  }

  // Compares every secret with every signature, in constant time, so that the duration reveals nothing.
  static boolean isSigned(Headers headers, byte[] body) throws GeneralSecurityException {
    boolean isValid = false;
    for (String secret : SECRETS) {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      mac.update((header(headers, "X-Service-Timestamp") + ".").getBytes(StandardCharsets.UTF_8));
      byte[] expected = ("v1=" + HexFormat.of().formatHex(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
      for (String given : header(headers, "X-Service-Signature").split(","))
        isValid |= MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), expected);
    }
    return isValid;
  }

  static boolean isRecent(String timestamp) {
    return timestamp.matches("[0-9]{10,11}")
        && Math.abs(System.currentTimeMillis() - Long.parseLong(timestamp) * 1000) <= TOLERANCE_MS;
  }

  static Response respond(Headers headers, byte[] body) throws GeneralSecurityException {
    if (!isSigned(headers, body)) return new Response(401, "bad signature");
    if (!isRecent(header(headers, "X-Service-Timestamp"))) return new Response(401, "timestamp too old or in the future");
    Map<String, String> event = topLevelStrings(new String(body, StandardCharsets.UTF_8));
    if (event == null) return new Response(400, "not an event");
    for (var entry : FIELD_OF.entrySet())
      if (event.containsKey(entry.getValue()) && !header(headers, entry.getKey()).equals(event.get(entry.getValue())))
        return new Response(401, entry.getKey() + " differs from the body");
    // Handle the event here. It can be delivered more than once: process each `id` once.
    System.out.println(event.get("type") + " " + event.get("id"));
    return new Response(200, "ok");
  }

  // The top-level strings of a JSON object. Java has no JSON parser: if you use Jackson or Gson, parse with that instead.
  static Map<String, String> topLevelStrings(String json) {
    Map<String, String> strings = new HashMap<>();
    String text = null;
    String key = null;
    int depth = 0;
    for (int at = 0; at < json.length(); at++) {
      char character = json.charAt(at);
      if (character == '{' || character == '[') depth++;
      if (character == '}' || character == ']') depth--;
      if (character == ':' && depth == 1) key = text;
      if (character == ',' && depth == 1) key = null;
      if (character != '"') continue;
      int from = at + 1;
      for (at = from; at < json.length() && json.charAt(at) != '"'; at++) if (json.charAt(at) == '\\') at++;
      if (at >= json.length()) return null;
      text = json.substring(from, at);
      if (depth == 1 && key != null) strings.put(key, text);
    }
    return depth == 0 && json.startsWith("{") ? strings : null;
  }

  public static void main(String[] args) throws IOException {
    int port = Integer.parseInt(Objects.requireNonNullElse(System.getenv("PORT"), "8080"));
    HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
    server.setExecutor(Executors.newFixedThreadPool(8));
    server.createContext("/", exchange -> {
      // The raw bytes: parsing and serializing the JSON again would change the signature.
      byte[] body = exchange.getRequestBody().readNBytes(MAX_BYTES);
      Response response;
      try {
        response = respond(exchange.getRequestHeaders(), body);
      } catch (GeneralSecurityException unavailable) {
        response = new Response(500, "HMAC-SHA-256 is not available");
      }
      byte[] text = response.text().getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(response.status(), text.length);
      exchange.getResponseBody().write(text);
      exchange.close();
    });
    server.start();
  }
}
