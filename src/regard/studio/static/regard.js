/*! Contains @preact/signals 2.11.4 (MIT), @preact/signals-core 1.14.5 (MIT), preact 11.2.0 (MIT).

The MIT License (MIT)

Copyright (c) 2022-present Preact Team

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.

The MIT License (MIT)

Copyright (c) 2015-present Jason Miller

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
*/
var e,t,n,r,i,a,o,s,c,l,u,d,f=Symbol.for(`pv`),p={},m=[],h=/^m(i|n|o|s|text|space)$/,g=Array.isArray,_=m.slice,v=Object.assign;function y(e){e&&e.parentNode&&e.remove()}function b(e,t,n){var r,i,a,o={},s=arguments.length;for(a in t)a==`key`?r=t[a]:a==`ref`&&typeof e!=`function`?i=t[a]:o[a]=t[a];return s>2&&(o.children=s>3?_.call(arguments,2):n),x(e,o,r,i,null)}function x(n,r,i,a,o){var s={type:n,props:r,key:i,ref:a,__k:null,__:null,__b:0,__e:null,__c:null,constructor:f,__v:o||++t,__i:-1,__u:0};return!o&&e.vnode&&e.vnode(s),s}function S(e){return e.children}function C(e,t){this.props=e,this.context=t,this.__g=0}function w(e,t){if(t==null)return e.__&&w(e.__,e.__i+1);for(var n;t<e.__k.length;t++)if((n=e.__k[t])&&n.__e)return n.__e;return typeof e.type!=`function`||e.props.__P?null:w(e)}function T(t){var n,r=t.__v,i=r.__e,a=[],o=[],s=t.__P;s&&((n=v({constructor:f},r)).__v=r.__v+1,e.vnode&&e.vnode(n),M(s,n,r,t.__n,s.namespaceURI,32&r.__u?[i]:null,a,i||w(r),32&r.__u,o),n.__v=r.__v,n.__.__k[n.__i]=n,oe(a,n,o),r.__=r.__e=null,n.__e!=i&&E(n))}function E(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(t){return t&&(e.__e=t.__e)}),E(e)}function D(t){(8&t.__g||(t.__g|=8,r.push(t),a++))&&i==e.debounceRendering||((i=e.debounceRendering)||queueMicrotask)(O)}function O(){try{for(var e,t=1;r.length;)r.length>t&&r.sort(o),e=r.shift(),t=r.length,8&e.__g&&T(e)}finally{(a=r.length)&&(i||queueMicrotask)(O)}}function ee(e,t,n,r,i,a,o,s,c,l,u){var d,f,h,g,_,v,y=r.__k||m,b=t.length;for(c=k(n,t,y,c,b),d=0;d<b;d++)(h=n.__k[d])!=null&&(f=~h.__i&&y[h.__i]||p,h.__i=d,v=M(e,h,f,i,a,o,s,c,l,u),g=h.__e,(f.ref!=h.ref||8&f.__u)&&(f.ref&&ce(f.ref,null,h,f),h.ref&&u.push(h.ref,h.__c||g,h)),_||=g,4&h.__u?(c=A(h,c,e,!f.__v),f.__e&&(f.__e=null)):typeof h.type==`function`&&v!==void 0?c=v:g&&(c=g.nextSibling),h.__u&=-21);return n.__e=_,c}function k(e,t,n,r,i){var a,o,s,c,l,u,d,p,m,h=n.length,_=h,v=0,y=0,b=e.__k=Array(i);for(a=0;a<i;a++)(o=t[a])!=null&&typeof o!=`boolean`&&typeof o!=`function`?(typeof o!=`object`||o.constructor===String?o=b[a]=x(null,o):g(o)?o=b[a]=x(S,{children:o}):o.constructor===f&&o.__b?o=b[a]=x(o.type,o.props,o.key,o.ref,o.__v):b[a]=o,c=a+v,o.__=e,o.__b=e.__b+1,s=null,~(l=o.__i=te(o,n,c,_))&&(_--,(s=n[l])&&(s.__u|=2)),s&&s.__v?(o.__u|=16,l==c-1?v--:l==c+1?v++:l!=c&&(l>c?v--:v++,y=1)):(~l||(i>h?v--:i<h&&v++),typeof o.type!=`function`&&(o.__u|=4))):b[a]=null;if(y){for(u=[],d=[],a=0;a<i;a++)if((o=b[a])&&16&o.__u){for(v=0,p=u.length;v<p;)u[m=v+p>>1]<o.__i?v=m+1:p=m;u[v]=o.__i,d[a]=v+1}for(v=u.length;a--;)d[a]&&(d[a]==v?v--:b[a].__u|=4)}if(_)for(a=0;a<h;a++)!(s=n[a])||2&s.__u||(s.__e==r&&(r=w(s)),le(s,s));return r}function A(e,t,n,r){var i,a,o,s;if(typeof e.type==`function`){if(e.props.__P)return t;if(i=e.__k)for(a=0;a<i.length;a++)i[a]&&(i[a].__=e,t=A(i[a],t,n,!1));return t}for(t&&!t.parentNode&&(t=w(e))&&!t.parentNode&&(t=null),o=e.__e,s=t;s&&s.nodeType==8;)s=s.nextSibling;for(o!=s&&(!r&&n.moveBefore&&o.parentNode?n.moveBefore(o,t):n.insertBefore(o,t||null)),t=o;(t&&=t.nextSibling)&&t.nodeType==8&&!t.data.startsWith(`$s`););return t}function te(e,t,n,r){var i,a=e.key,o=e.type,s=t[n],c=s&&!(2&s.__u);if(s===null&&a==null||c&&a==s.key&&o==s.type)return n;if(r>+!!c){for(i=n-1;i>=0;i--)if((s=t[i])&&!(2&s.__u)&&a==s.key&&o==s.type)return i;for(i=n+1;i<t.length;i++)if((s=t[i])&&!(2&s.__u)&&a==s.key&&o==s.type)return i}return-1}function ne(e,t,n){n??=``,t[0]==`-`?e.setProperty(t,n):e[t]=n}function j(e,t,n,r,i){var a,o;if(t==`style`){if(typeof n==`string`)e.style.cssText=n;else{if(typeof r==`string`&&(e.style.cssText=r=``),r)for(t in r)n&&t in n||ne(e.style,t);if(n)for(t in n)r&&n[t]==r[t]||ne(e.style,t,n[t])}}else if(t[0]==`o`&&t[1]==`n`)typeof n!=`function`&&(n=null),typeof r!=`function`&&(r=null),(e.__e||={})[t]=n,n&&r||(o=u[t]||(u[t]=re(t)),(e.__a||={})[t]=l,a=t!=(t=t.replace(c,`$1`)),(t=t.slice(2))[0]<`a`&&(t=t.toLowerCase()),n?e.addEventListener(t,o,a):e.removeEventListener(t,o,a));else{if(i==`http://www.w3.org/2000/svg`)t=t.replace(/xlink(H|:h)/,`h`).replace(/sName$/,`s`);else if(t!=`width`&&t!=`height`&&t!=`href`&&t!=`list`&&t!=`form`&&t!=`tabIndex`&&t!=`download`&&t!=`rowSpan`&&t!=`colSpan`&&t!=`role`&&t!=`popover`&&t in e)try{e[t]=n??``;return}catch{}if(typeof n==`function`)return;n==null||!1===n&&t[4]!=`-`?e.removeAttribute(t):e.setAttribute(t,t==`popover`&&n==1?``:n)}}function re(t){return function(n){var r=this.__e;if(r){if(r=r[t],n[s]==null)n[s]=l++;else if(n[s]<this.__a[t])return;return r(e.event?e.event(n):n)}}}function M(t,n,r,i,a,o,s,c,l,u){var d,p,h,_,b,x,T,E,D,O,k,A,te,ne,j,re,M,oe,ce=n.type;if(n.constructor!==f)return null;128&r.__u&&(l=32&r.__u,d=r.__c.__z)&&(n.__u|=l,p=o=[],d.nodeType==8?c=ie(d,o):o.push(d),c=o[0]||c),(d=e.__b)&&d(n);n:if(typeof ce==`function`){h=s.length;try{if(E=n.props,D=(d=ce.prototype)&&d.render,O=(d=ce.contextType)&&i[d.__c],k=d?O?O.props.value:d.__:i,(_=r.__c)?(n.__c=_,2&_.__g&&(_.__g|=1)):(D?n.__c=_=new ce(E,k):(n.__c=_=new C(E,k),_.constructor=ce,_.render=ue),O&&O.sub(_),_.state||(_.state={}),_.__n=i,_.__g|=8,_.__h=[],_.__k=[]),D&&(_.__s||(_.__s=_.state),ce.getDerivedStateFromProps&&(_.__s==_.state&&(_.__s=v({},_.__s)),v(_.__s,ce.getDerivedStateFromProps(E,_.__s)))),b=_.props,x=_.state,_.__v=n,r.__c){if(E!==b&&D&&!ce.getDerivedStateFromProps&&_.componentWillReceiveProps&&_.componentWillReceiveProps(E,k),n.__v==r.__v&&!(8&_.__g)||!(4&_.__g)&&_.shouldComponentUpdate&&!1===_.shouldComponentUpdate(E,_.__s,k)){n.__v!=r.__v&&(_.props=E,_.state=_.__s,_.__g&=-9),n.__e=r.__e,n.__k=r.__k,n.__k.some(function(e){e&&(e.__=n)}),m.push.apply(_.__h,_.__k),_.__k=[],_.__h.length&&s.push(_),c=w(r);break n}_.componentWillUpdate&&_.componentWillUpdate(E,_.__s,k),D&&_.componentDidUpdate&&_.__h.push(function(){_.componentDidUpdate(b,x,T)})}else D&&!ce.getDerivedStateFromProps&&_.componentWillMount&&_.componentWillMount(),D&&_.componentDidMount&&_.__h.push(_.componentDidMount);_.context=k,_.props=E,_.__P=t,_.__g&=-5,A=e.__r,te=D?25:0;do _.__g&=-9,A&&A(n),d=_.render(_.props,_.state=_.__s,_.context);while(8&_.__g&&++te<25);D&&(m.push.apply(_.__h,_.__k),_.__k=[]),_.state=_.__s,_.getChildContext&&(i=v({},i,_.getChildContext())),D&&r.__c&&_.getSnapshotBeforeUpdate&&(T=_.getSnapshotBeforeUpdate(b,x)),ne=d&&d.type===S&&d.key==null?d.props.children:d,E.__P&&(d=c,a=(t=E.__P).namespaceURI,l=o=null,r.props&&r.props.__P!=t&&(r.__k.some(function(e){e&&le(e,e)}),r.__k=null),c=r.__k?w(r,0):null),c=ee(t,g(ne)?ne:[ne],n,r,i,a,o,s,c,l,u),E.__P&&(n.__e=null,c=d),n.__u&=-161,p&&p.some(y),_.__h.length&&s.push(_),1&_.__g&&(_.__g&=-4)}catch(t){if(s.length=h,n.__v=null,l||o){if(t&&t.then){if(n.__u|=128|l,o){for(~(M=o.indexOf(c||void 0))||(M=o.length);(oe=o[M-1])&&oe.nodeType==8;)M--;for(;M<o.length;M++)if(oe=o[M]){if(o[M]=null,j){if(oe==re)break}else{if(oe.nodeType!=8)break;oe.data.startsWith(`$s`)&&(re=ie(j=oe))}}}if(!j){for(;c&&c.nodeType==8&&c.nextSibling;)c=c.nextSibling;j=c}(d=ie(j=n.__c.__z||(n.__c.__z=j)))?(n.__e=j,c=d):n.__e=c,c&&=c.nextSibling}else o&&o.some(y)}else n.__e=r.__e;n.__k||=r.__k||[],t&&t.then||ae(n),e.__e(t,n,r)}}else c=n.__e=se(r.__e,n,r,i,a,o,s,l,u,t);return(d=e.diffed)&&d(n),c}function ie(e,t){if(e&&e.nodeType==8&&e.data.startsWith(`$s`))for(var n=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith(`$s`))n++;else if(e.data.startsWith(`/$s`)&&!--n)return e}t&&t.push(e)}}function ae(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(ae))}function oe(t,n,r){for(var i=0;i<r.length;)ce(r[i++],r[i++],r[i++]);e.__c&&e.__c(n,t),t.some(function(n){try{t=n.__h,n.__h=[],t.some(function(e){e.call(n)})}catch(t){e.__e(t,n.__v)}})}function se(t,n,r,i,a,o,s,c,l,u){var d,f,m,v,b,x,S,C,T=r.props||p,E=n.props,D=n.type;if(D==`svg`?a=`http://www.w3.org/2000/svg`:D==`math`?a=`http://www.w3.org/1998/Math/MathML`:a||=`http://www.w3.org/1999/xhtml`,o){for(d=0;d<o.length;d++)if((b=o[d])&&(D?b.localName==D:b.nodeType==3)){t=b,o[d]=null;break}}if(!t){if(C=u.ownerDocument||document,!D)return C.createTextNode(E);t=C.createElementNS(a,D,E.is?E:u),c&&=(e.__m&&e.__m(n,o),!1),o=null}if(D){if(u=D==`template`&&t.content||t,o=D==`textarea`&&E.defaultValue!=null?null:o&&_.call(u.childNodes),!c&&o)for(T={},d=0;d<t.attributes.length;d++)T[(b=t.attributes[d]).name]=b.value;for(d in T)b=T[d],d==`dangerouslySetInnerHTML`?m=b:d==`children`||d in E||d==`value`&&`defaultValue`in E||d==`checked`&&`defaultChecked`in E||j(t,d,null,b,a);for(d in E)b=E[d],d==`children`?v=b:d==`dangerouslySetInnerHTML`?f=b:d==`value`?x=b:d==`checked`?S=b:c&&typeof b!=`function`||T[d]===b||j(t,d,b,T[d],a);f?(c||m&&(f.__html==m.__html||f.__html==t.innerHTML)||(t.innerHTML=f.__html),n.__k=[]):(m&&(t.textContent=``),(D==`foreignObject`||a==`http://www.w3.org/1998/Math/MathML`&&h.test(D))&&(a=`http://www.w3.org/1999/xhtml`),ee(u,g(v)?v:[v],n,r,i,a,o,s,o?o[0]:r.__k&&w(r,0),c,l),o&&o.some(y)),c&&D!=`textarea`||(d=`value`,D==`progress`&&x==null?t.removeAttribute(d):x==null||x===t[d]&&(D!=`progress`||x)||j(t,d,x,T[d],a),d=`checked`,S!=null&&S!=t[d]&&j(t,d,S,T[d],a))}else T===E||c&&t.data==E||(t.data=E);return t}function ce(t,n,r,i){try{typeof t==`function`?n?n.__x=t(n)||1:(i&&=i.__c||i.__e)&&(n=i.__x)&&(i.__x=null,typeof n==`function`?n():t(null)):t.current=n}catch(t){e.__e(t,r)}}function le(t,n,r){var i,a,o,s;if(e.unmount&&e.unmount(t),!(i=t.ref)||i.current&&i.current!=t.__e||ce(i,null,n,t),i=t.__c){if(i.componentWillUnmount)try{i.componentWillUnmount()}catch(t){e.__e(t,n)}i.__P=i.__n=null}if(i=t.__k)for(s=0;s<i.length;s++)i[s]&&le(i[s],n,typeof t.type!=`function`||r&&!t.props.__P);!r&&(i=t.__c)&&(i=i.__z)&&(a=ie(i,o=[]))&&(i==t.__e&&o.some(y),y(a),y(i)),r||y(t.__e),t.__e=t.__c=t.__=null}function ue(e,t,n){return this.constructor(e,n)}function de(t,n){var r,i,a,o;e.__&&e.__(t,n),n.nodeType==9&&(n=n.documentElement),i=(r=t&&32&t.__u)?null:n.__k,n.__k=x(S,{children:[t]}),a=[],o=[],M(n,n.__k,i||p,p,n.namespaceURI,i?null:n.firstChild?_.call(n.childNodes):null,a,i?i.__e:n.firstChild,r,o),oe(a,n.__k,o),n.__k.props.children=null}function fe(e){function t(e){var n,r;return this.getChildContext||(n=new Set,(r={})[t.__c]=this,this.getChildContext=function(){return r},this.shouldComponentUpdate=function(e){this.props.value!=e.value&&n.forEach(function(e){e.__g|=4,D(e)})},this.sub=function(e){n.add(e);var t=e.componentWillUnmount;e.componentWillUnmount=function(){n.delete(e),t&&t.call(e)}}),e.children}return t.__c=`__cC`+d++,t.__=e,t.Provider=(t.Consumer=function(e,t){return e.children(t)}).contextType=t,t}e={__e:function(e,t,n,r){for(var i,o,s;t=t.__;)if((i=t.__c)&&!(1&i.__g)){i.__g|=4;try{if((s=(o=i.constructor)&&o.getDerivedStateFromError)&&i.setState(o.getDerivedStateFromError(e)),i.componentDidCatch&&(i.componentDidCatch(e,r||{}),s=1),s&&8&i.__g)return void(i.__g|=2)}catch(t){e=t}}throw a=0,e}},t=0,n=function(e){return e!=null&&e.constructor===f},C.prototype.setState=function(e,t){var n=this.__s;n&&n!=this.state||(n=this.__s=v({},this.state)),typeof e==`function`&&(e=e(v({},n),this.props)),e&&(v(n,e),this.__v&&(t&&this.__k.push(t),D(this)))},C.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),D(this))},C.prototype.render=S,r=[],a=0,o=function(e,t){return e.__v.__b-t.__v.__b},s=Symbol(),c=/(PointerCapture)$|Capture$/i,l=0,u={},d=0;var pe,N,me,he,ge=Object.is,_e=0,ve=[],ye=[],P=e,be=P.__b,xe=P.__r,Se=P.diffed,Ce=P.__c,we=P.unmount,Te=P.__;function Ee(e,t){P.__h&&P.__h(N,e,_e||t),_e=0;var n=N.__H||(N.__H={__:[],__h:[]});return e>=n.__.length&&n.__.push({}),n.__[e]}function De(e){return _e=1,Oe(ze,e)}function Oe(e,t,n){var r=Ee(pe++,2);if(r.t=e,!r.__c&&(r.__=[n?n(t):ze(void 0,t),function(e){var t=(r.__N||r.__)[0],n=r.t(t,e);ge(t,n)||(r.__N=[n,r.__[1]],r.__c.setState({}))}],r.__c=N,!N.__f)){N.__f=!0;var i=N.shouldComponentUpdate;N.shouldComponentUpdate=function(e,t,n){var r=this.__H;if(!r)return!0;var a=!1,o=this.props!=e;if(r.__.some(function(e){e.__N&&(a=!0,ge(e.__[0],e.__N[0])||(o=!0))}),i){var s=i.call(this,e,t,n);return a?s||o:s}return!a||o}}return r.__}function F(e,t){var n=Ee(pe++,3);!P.__s&&Re(n.__H,t)&&(n.__P=!0,n.__=e,n.u=t,N.__H.__h.push(n))}function ke(e,t){var n=Ee(pe++,4);!P.__s&&Re(n.__H,t)&&(n.__P=!1,n.__=e,n.u=t,N.__h.push(n))}function I(e){return _e=5,L(function(){return{current:e}},[])}function L(e,t){var n=Ee(pe++,7);return Re(n.__H,t)&&(n.__=e(),n.__H=t),n.__}function Ae(e){var t=N.context[e.__c],n=Ee(pe++,9);return n.c=e,t?(n.__??(n.__=!0,t.sub(N)),t.props.value):e.__}function je(){var e=Ee(pe++,11);if(!e.__){for(var t=N.__v;!t.__m&&t.__;)t=t.__;var n=t.__m||(t.__m=[0,0]);e.__=`P`+n[0]+`-`+n[1]++}return e.__}function Me(){var e;do{for(;e=ye.shift();)try{Ie(e)}catch(t){P.__e(t,{__:(e=e.__P)&&e.__v})}for(;e=ve.shift();){var t=e.__H;if(e.__P&&t)try{t.__h.some(Ie),t.__h.some(Le),t.__h=[]}catch(n){t.__h=[],P.__e(n,e.__v)}}}while(ye.length)}P.__b=function(e){N=null,be&&be(e)},P.__=function(e,t){e&&t.__k&&t.__k.__m&&(e.__m=t.__k.__m),Te&&Te(e,t)},P.__r=function(e){xe&&xe(e),pe=0;var t=(N=e.__c).__H;t&&(me==N?N.__h=[]:(t.__h.some(Ie),t.__h.some(Le),pe=0),t.__h=[],t.__.some(function(e){e.__N&&(e.__=e.__N),e.u=e.__N=void 0})),me=N},P.diffed=function(e){Se&&Se(e);var t=e.__c;t&&t.__H&&(t.__H.__h.length&&Fe(ve.push(t)),t.__H.__.some(function(e){e.u&&(e.__H=e.u)})),me=N=null},P.__c=function(e,t){t.some(function(e){try{e.__h.some(Ie),e.__h=e.__h.filter(function(e){return!e.__||Le(e)})}catch(t){e.__h=[function(){throw t}]}}),Ce&&Ce(e,t)},P.unmount=function(e){we&&we(e);var t,n,r=e.__c;r&&r.__H&&(r.__H.__.some(function(r){try{if(r.__P&&r.__c){if(n===void 0){for(n=e.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n&&=n.__c}r.__P=n,Fe(ye.push(r))}else Ie(r)}catch(e){t=e}}),r.__H=void 0,t&&P.__e(t,r.__v))};var Ne=typeof requestAnimationFrame==`function`;function Pe(e){var t,n=function(){clearTimeout(r),Ne&&cancelAnimationFrame(t),setTimeout(e)},r=setTimeout(n,35);Ne&&(t=requestAnimationFrame(n))}function Fe(e){e!=1&&he==P.requestAnimationFrame||((he=P.requestAnimationFrame)||Pe)(Me)}function Ie(e){var t=N,n=e.__c;typeof n==`function`&&(e.__c=void 0,n()),N=t}function Le(e){var t=N;e.__c=e.__(),N=t}function Re(e,t){return!e||e.length!=t.length||t.some(function(t,n){return!ge(t,e[n])})}function ze(e,t){return typeof t==`function`?t(e):t}var Be=Symbol.for(`preact-signals`);function Ve(){if(Ge>1)Ge--;else{var e,t=!1;for((function(){var e=Ye;for(Ye=void 0;e!==void 0;){var t=e.S;if(t.v===e.v)for(var n=t.t;n!==void 0;n=n.x)n.i===e.i&&(n.i=t.i);e=e.o}})();We!==void 0;){var n=We;for(We=void 0,Ke++;n!==void 0;){var r=n.u;if(n.u=void 0,n.f&=-3,!(8&n.f)&&Qe(n))try{n.c()}catch(n){t||=(e=n,!0)}n=r}}if(Ke=0,Ge--,t)throw e}}function R(e){if(Ge>0)return e();Je=++qe,Ge++;try{return e()}finally{Ve()}}var He,z=void 0;function Ue(e){var t=z,n=He;z=void 0,He=void 0;try{return e()}finally{z=t,He=n}}var We=void 0,Ge=0,Ke=0,qe=0,Je=0,Ye=void 0,Xe=0;function Ze(e){if(z!==void 0){var t=e.n;if(t===void 0||t.t!==z)return t={i:0,S:e,p:z.s,n:void 0,t:z,e:void 0,x:void 0,r:t},z.s!==void 0&&(z.s.n=t),z.s=t,e.n=t,32&z.f&&e.S(t),t;if(t.i===-1)return t.i=0,t.n!==void 0&&(t.n.p=t.p,t.p!==void 0&&(t.p.n=t.n),t.p=z.s,t.n=void 0,z.s.n=t,z.s=t),t}}function B(e,t){this.v=e,this.i=0,this.n=void 0,this.t=void 0,this.l=0,this.W=t?.watched,this.Z=t?.unwatched,this.name=t?.name}B.prototype.brand=Be,B.prototype.h=function(){return!0},B.prototype.S=function(e){var t=this,n=this.t;n!==e&&e.e===void 0&&(e.x=n,this.t=e,n===void 0?Ue(function(){var e;(e=t.W)==null||e.call(t)}):n.e=e)},B.prototype.U=function(e){var t=this;if(this.t!==void 0){var n=e.e,r=e.x;n!==void 0&&(n.x=r,e.e=void 0),r!==void 0&&(r.e=n,e.x=void 0),e===this.t&&(this.t=r,r===void 0&&Ue(function(){var e;(e=t.Z)==null||e.call(t)}))}},B.prototype.subscribe=function(e){var t=this;return st(function(){var n=t.value;Ue(function(){return e(n)})},{name:`sub`})},B.prototype.valueOf=function(){return this.value},B.prototype.toString=function(){return this.value+``},B.prototype.toJSON=function(){return this.value},B.prototype.peek=function(){var e=this;return Ue(function(){return e.value})},Object.defineProperty(B.prototype,"value",{get:function(){var e=Ze(this);return e!==void 0&&(e.i=this.i),this.v},set:function(e){if(e!==this.v){if(Ke>100)throw Error(`Cycle detected`);(function(e){Ge!==0&&Ke===0&&e.l!==Je&&(e.l=Je,Ye={S:e,v:e.v,i:e.i,o:Ye})})(this),this.v=e,this.i++,Xe++,Ge++;try{for(var t=this.t;t!==void 0;t=t.x)t.t.N()}finally{Ve()}}}});function V(e,t){return new B(e,t)}function Qe(e){for(var t=e.s;t!==void 0;t=t.n)if(t.S.i!==t.i||!t.S.h()||t.S.i!==t.i)return!0;return!1}function $e(e){for(var t=e.s;t!==void 0;t=t.n){var n=t.S.n;if(n!==void 0&&(t.r=n),t.S.n=t,t.i=-1,t.n===void 0){e.s=t;break}}}function et(e){for(var t=e.s,n=void 0;t!==void 0;){var r=t.p;t.i===-1?(t.S.U(t),r!==void 0&&(r.n=t.n),t.n!==void 0&&(t.n.p=r)):n=t,t.S.n=t.r,t.r!==void 0&&(t.r=void 0),t=r}e.s=n}function tt(e,t){B.call(this,void 0,t),this.x=e,this.s=void 0,this.g=Xe-1,this.f=4}tt.prototype=new B,tt.prototype.h=function(){if(this.f&=-3,1&this.f)return!1;if((36&this.f)==32||(this.f&=-5,this.g===Xe))return!0;if(this.g=Xe,this.f|=1,this.i>0&&!Qe(this))return this.f&=-2,!0;var e=z;try{$e(this),z=this;var t=this.x();(16&this.f||this.v!==t||this.i===0)&&(this.v=t,this.f&=-17,this.i++)}catch(e){this.v=e,this.f|=16,this.i++}return z=e,et(this),this.f&=-2,!0},tt.prototype.S=function(e){if(this.t===void 0){this.f|=36;for(var t=this.s;t!==void 0;t=t.n)t.S.S(t)}B.prototype.S.call(this,e)},tt.prototype.U=function(e){if(this.t!==void 0&&(B.prototype.U.call(this,e),this.t===void 0)){this.f&=-33;for(var t=this.s;t!==void 0;t=t.n)t.S.U(t)}},tt.prototype.N=function(){if(!(2&this.f)){this.f|=6;for(var e=this.t;e!==void 0;e=e.x)e.t.N()}},Object.defineProperty(tt.prototype,"value",{get:function(){if(1&this.f)throw Error(`Cycle detected`);var e=Ze(this);if(this.h(),e!==void 0&&(e.i=this.i),16&this.f)throw this.v;return this.v}});function nt(e,t){return new tt(e,t)}function rt(e){var t=e.j;if(e.j=void 0,typeof t==`function`){Ge++;var n=z;z=void 0;try{t()}catch(t){throw e.f&=-2,e.f|=8,it(e),t}finally{z=n,Ve()}}}function it(e){for(var t=e.s;t!==void 0;t=t.n)t.S.U(t);e.x=void 0,e.s=void 0,rt(e)}function at(e){if(z!==this)throw Error(`Out-of-order effect`);et(this),z=e,this.f&=-2;try{8&this.f&&it(this)}finally{Ve()}}function ot(e,t){this.x=e,this.j=void 0,this.s=void 0,this.u=void 0,this.f=32,this.name=t?.name,He&&He.push(this)}ot.prototype.c=function(){var e=this.S();try{if(8&this.f||this.x===void 0)return;var t=this.x();typeof t==`function`&&(this.j=t)}finally{e()}},ot.prototype.S=function(){if(1&this.f)throw Error(`Cycle detected`);this.f|=1,this.f&=-9,rt(this),$e(this),Ge++;var e=z;return z=this,at.bind(this,e)},ot.prototype.N=function(){2&this.f||(this.f|=2,this.u=We,We=this)},ot.prototype.d=function(){this.f|=8,1&this.f||it(this)},ot.prototype.dispose=function(){this.d()};function st(e,t){var n=new ot(e,t);try{n.c()}catch(e){throw n.d(),e}var r=n.d.bind(n);return r[Symbol.dispose]=r,r}var ct,lt,ut,dt=typeof window<`u`&&!!window.__PREACT_SIGNALS_DEVTOOLS__,ft=[],pt=[];st(function(){ct=this.N})();function mt(t,n){e[t]=n.bind(null,e[t]||function(){})}function ht(e){if(ut){var t=ut;ut=void 0,t()}ut=e&&e.S()}function gt(e){var t=this,r=e.data,i=H(r);i.name=`ReactiveDom`,i.value=r;var a=L(function(){for(var e=t,r=t.__v;r=r.__;)if(r.__c){r.__c.__$f|=4;break}var a=nt(function(){var e=i.value.value;return e===0?0:!0===e?``:e||``}),o=nt(function(){return!Array.isArray(a.value)&&!n(a.value)}),s=st(function(){if(this.N=Ct,o.value){var t=a.value;e.__v&&e.__v.__e&&e.__v.__e.nodeType===3&&(e.__v.__e.data=t)}}),c=t.__$u.d;return t.__$u.d=function(){s(),c.call(this)},[o,a]},[]),o=a[0],s=a[1];return o.value?s.peek():s.value}gt.displayName=`ReactiveTextNode`,Object.defineProperties(B.prototype,{constructor:{configurable:!0,value:b(S,null).constructor},type:{configurable:!0,value:gt},props:{configurable:!0,get:function(){var e=this;return{data:{get value(){return e.value}}}}},__b:{configurable:!0,value:1}}),mt(`__b`,function(e,t){if(ht(),lt=void 0,typeof t.type==`string`){var n,r=t.props;for(var i in r)if(i!==`children`){var a=r[i];a instanceof B&&(n||(t.__np=n={}),n[i]=a,r[i]=a.peek())}}e(t)}),mt(`__r`,function(e,t){if(e(t),t.type!==S){ht();var n,r=t.__c;r&&(r.__$f&=-2,(n=r.__$u)===void 0&&(r.__$u=n=function(e,t){var n;return st(function(){n=this},{name:t}),n.c=e,n}(function(e){return function(){var t;dt&&((t=this.y)==null||t.call(this)),e.__$f|=1,e.setState({})}}(r),typeof t.type==`function`?t.type.displayName||t.type.name:``))),lt=r,ht(n)}}),mt(`__e`,function(e,t,n,r){ht(),lt=void 0,e(t,n,r)}),mt(`diffed`,function(e,t){ht(),lt=void 0;var n;if(typeof t.type==`string`&&(n=t.__e)){var r=t.__np,i=t.props,a=n.U;if(a)for(var o in a){var s=a[o];s===void 0||r&&o in r||(s.d(),a[o]=void 0)}if(r)for(var c in a||(a={},n.U=a),r){var l=a[c],u=r[c];l===void 0?(l=_t(n,c,u,i),a[c]=l):l.o(u,i)}}e(t)});function _t(e,t,n,r){var i=t in e&&e.ownerSVGElement===void 0,a=V(n);return{o:function(e,t){a.value=e,r=t},d:st(function(){this.N=Ct;var n=a.value.value;r[t]!==n&&(r[t]=n,i?e[t]=n:n!=null&&(!1!==n||t[4]===`-`)?e.setAttribute(t,n):e.removeAttribute(t))})}}mt(`unmount`,function(e,t){if(typeof t.type==`string`){var n=t.__e;if(n){var r=n.U;if(r)for(var i in n.U=void 0,r){var a=r[i];a&&a.d()}}var o=t.__np;if(o){var s=t.props;for(var c in o)s[c]=o[c]}t.__np=void 0}else{var l=t.__c;if(l){l.__$f|=8;var u=l.__$u;u&&(l.__$u=void 0,u.d())}}e(t)}),mt(`__h`,function(e,t,n,r){r<3&&(t.__$f|=2),e(t,n,r)}),C.prototype.shouldComponentUpdate=function(e,t){if(this.__R)return!0;var n=this.__$u,r=n&&n.s!==void 0;for(var i in t)return!0;if(this.__f||typeof this.u==`boolean`&&!0===this.u){var a=2&this.__$f;if(!(r||a||4&this.__$f)||1&this.__$f)return!0}else if(!(r||4&this.__$f)||3&this.__$f)return!0;for(var o in e)if(o!==`__source`&&e[o]!==this.props[o])return!0;for(var s in this.props)if(!(s in e))return!0;return!1};function H(e,t){return L(function(){return V(e,t)},[])}var vt=typeof requestAnimationFrame>`u`?setTimeout:function(e){var t=function(){clearTimeout(n),cancelAnimationFrame(r),e()},n=setTimeout(t,35),r=requestAnimationFrame(t)},yt=function(e){queueMicrotask(function(){queueMicrotask(e)})};function bt(){R(function(){for(var e;e=ft.shift();)ct.call(e)})}function xt(){ft.push(this)===1&&(e.requestAnimationFrame||vt)(bt)}function St(){R(function(){for(var e;e=pt.shift();)ct.call(e)})}function Ct(){pt.push(this)===1&&(e.requestAnimationFrame||yt)(St)}function wt(e,t){var n=I(e);n.current=e;var r=lt;F(function(){return st(function(){if(this.N=xt,!(r&&8&r.__$f))return n.current()},t)},[])}function Tt({axes:e}){let[t,n]=Object.entries(e).find(([,e])=>e.image)??[];if(!t||!n?.image)return null;let{tokens:r}=n,[i=0,a=0]=(r.at(-1)??``).split(`,`).map(e=>Number(e)+1);return{axis:t,source:n.image,tokens:r,rows:i,columns:a,extra:r.length-i*a}}function Et(e,t,{extra:n,columns:r,tokens:i}){let a=t<n?t-1:t-n<r?n-1:t-r,o=t<n?t+1:t+r,s={ArrowLeft:t-1,ArrowRight:t+1,ArrowUp:a,ArrowDown:o,Home:0,End:i.length-1}[e];return s===void 0?null:s in i?s:t}var Dt=e=>Ot(e)?``:e,Ot=e=>e.startsWith(`data:image/`);function kt(e,t){let n=new FileReader;n.onload=()=>t(n.result),n.readAsDataURL(e)}var[At,...jt]=[`language
inspect
learn
lessons
place
way
previous
next
reset
reset.title
again
sentence
sentence.yours
sentence.spotlight
standin
standin.none
picture.none
picture.stale
change
score
similarity
cosine
gaussian
average
dimensions
all
heads
head
head.n
layer
mask
none
causal
window
sides
temperature
positions
on
off
matrices
trained
random
top_k
top_p
swap
swap.group
swap.first
swap.second
vector
numbers
keys
key
query
value
output
word
looksAt
weight
given
given.value
gets
sum
from
where
vectors.arrows
arrows.exact
arrows.kept
arrows.kept.title
arrows.keys
arrows.values
arrows.key
arrows.query
arrows.value
arrows.output
order
order.here
order.swapped
order.change
order.moved
softmax
softmax.exp
softmax.share
softmax.sum
softmax.note
read.score
read.temperature
read.dimensions
read.heads
read.vectors
read.directions
read.random
read.trained
end
model.none
model.empty
model.running
inspector
block
step
block.numbers
block.mean
block.deviation
block.x
block.norm_1
block.attention
block.sum_1
block.norm_2
block.feed_forward
block.sum_2
block.units
layers
layers.start
layers.layer
layers.itself
cross.encoder
cross.decoder
cross.choose
cross.said
next.step
next.candidate
next.probability
next.chance
next.chosen
next.rest
next.said
next.table
training.step
training.steps
training.loss
training.curve
training.writes
training.nothing
training.right
training.wrong
training.map
training.note
lookInto
learnHow
help
theme
theme.system
theme.light
theme.dark
ask.placeholder
ask.look
ask.looking
ask.enter
ask.sample
ask.empty
ask.fixed
ask.another
ask.folder
ask.hub
ask.open
ask.opening
ask.here
ask.fetched
ask.fetch
ask.trace
ask.options
ask.set
ask.target
ask.defaults
view.fit
view.fit.title
export
export.preparing
export.picture
export.html
export.these
export.first
export.numbers
export.link
export.copied
hint.steps
hint.write
hint.enter
hint.point
hint.line
hint.strike
hint.pull
hint.force
hint.got
notice.dismiss
notice.recording
notice.nothing
notice.write
notice.learn
notice.below
notice.cancel
said.write
said.predict
said.read
said.write.mostly
said.predict.mostly
said.read.mostly
said.needed
said.points
said.and
said.ofWords
said.model
said.head
said.why
said.why.title
said.number
said.other
said.change
said.strike
said.instead
which.for
which.point
which.place
which.far
which.toward
find.none
which.sinkless
which.none
changed.before
changed.now
changed.same
changed.pulled
changed.back
changed.go
changed.all
changed.own
changed.left
ribbons.needed
ribbons.way
ribbons.way.title
ribbons.anywhere
ribbons.across
ribbons.within
ribbons.sure
ribbons.strike
ribbons.pull
ribbons.bar
ribbons.left
ribbons.play
ribbons.dotted
ribbons.unsure
ribbons.out
ribbons.put
ribbons.ring
play.title
play.about
play.ask
play.day
play.another
play.again
play.own
play.all
play.where
play.rather
play.scores
play.you
play.heads
play.even
play.random
play.squares
play.link
play.picture
play.copied
play.note
flow.hint
steps.candidates
steps.choose
steps.first
steps.forced
steps.beam
why.title
why.tokens
why.tokens.note
why.lens
why.lens.note
why.heads
why.heads.note
compare.show
compare.beside
compare.difference
drawer.close
drawer.click
drawer.mean
drawer.looks
drawer.looked
drawer.off
drawer.edge
drawer.written
help.title
help.keys
help.about
key.move
key.head.previous
key.head.next
key.layer.previous
key.layer.next
key.zoom
key.fit
key.sink
key.find
key.lock
key.equation
key.ablate
key.strike
key.pull
key.text
key.enter
key.help
key.close
help.map
zoom
zoom.sentence
zoom.sentence.title
zoom.map
zoom.map.title
zoom.cell
zoom.cell.title
zoom.products
zoom.products.title
drawer.cell
drawer.word
drawer.word.title
drawer.why
drawer.why.title
drawer.close.title
drawer.loading
drawer.predicts
drawer.edge.title
drawer.head.title
drawer.token.title
drawer.off.step
drawer.off.most
drawer.off.label
drawer.off.output
drawer.elsewhere
drawer.label
drawer.step
drawer.was
drawer.most
drawer.probability
equation
equation.others
equation.scale
equation.bias
equation.cap
equation.capped
equation.may
equation.not
equation.lse
equation.unknown
pin
pin.title
compare
compare.minus
compare.same
compare.differ
compare.tokens
compare.one
compare.own
compare.shapes
model
text
text.whole
text.tokens
text.before
text.more
flow
flow.all
flow.more
flow.visible
translation
ribbons.output.name
ribbons.input.name
ribbons.output
ribbons.input
steps
step.n
steps.of
steps.looked
steps.force
steps.chosen
beam
beam.only
beam.n
beam.unscored
beam.shown
beam.cut
why
why.axis
why.sofar
why.against
why.alone
why.computing
why.worth
why.worthless
why.table
why.grid
why.network
why.open
why.logit
why.over
why.add
why.embedding
why.after
why.rank
why.gradient
why.value_zeroing
why.measure.weight
why.measure.norm
why.measure.gradient
why.measure.value_zeroing
why.measure.hiding
why.rho
tap
tap.self
tap.cross
tap.encoder
tap.decoder
caption
head.mean
heads.n
axis.source
axis.target
axis.patches
axis.tokens
norm
quantity
quantity.weight
quantity.norm
quantity.score
scale
scale.auto
scale.linear
scale.log
scale.row
group
group.token
group.word
group.sentence
reduce
reduce.max
reduce.mean
map.empty
map.says
map.role
map.block
map.masked
map.masked.block
map.between.max
map.between.mean
map.every
legend.upper
legend.lower
legend.reset
legend.blocks
legend.cells
legend.preview
legend.difference
legend.small
legend.logarithms
legend.log
legend.row
legend.largest
legend.above
legend.root.2
legend.root.3
legend.root.4
legend.taking
legend.sinks
legend.outside
pattern.previous
pattern.next
pattern.same
pattern.first
pattern.separator
pattern.punctuation
pattern.induction
pattern.alignment
pattern.none
pattern.share
which
which.kind
which.encoder
which.decoder
which.cross
which.rows
which.sunk
which.mostly
which.beside
which.entropy
which.distance
labels
image
image.choose
image.hint
labels.without
nearest
nearest.title
nearest.cosines
receipt
receipt.title
off.head
off.edge
off.token
off.look
off.everywhere
changed
changed.off.list
export.drawer
hint.goes
hint.view
hint.same
notice.gone
notice.model
ask.form
ask.unknown
option.sentence
option.sentence.means
option.num_beams
option.num_beams.means
option.generate
option.generate.means
option.temperature
option.temperature.means
option.top_k
option.top_k.means
option.top_p
option.top_p.means
option.seed
option.seed.means
drop.none
drop.other
stage.running
stage.waiting
stage.token
server.generating
server.capturing
server.loading
server.reading
server.checking
server.pass
server.file
server.given
server.projection
server.logits
server.forced
server.struck
server.edge
server.head
server.pulled
server.no.edge
server.no.head
server.no.token
server.empty
server.long
page.foreign
server.doubt
page.text
page.stays
page.letters
page.sentence
page.prompt
page.begins
page.hypothesis
page.search
page.target
page.target.long
page.target.drawn
page.beams
page.temperature
page.top_k
page.top_p
page.seed
page.struck
page.later
page.words
page.words.many
page.tokens.many
page.table
page.translator
page.layers
page.norm
page.worker
page.browser
page.memory
page.version
page.engine
page.image
page.file
page.holds
page.gone
page.reliance
page.made
page.draws`,`language
inspect
learn
lessons
lesson {place} of {count}
along the road
previous
next
reset
the sample sentence and the lesson as it was
try again
sentence
your sentence
word in the spotlight
“{word}” has no vector of its own and borrows that of “{other}”, which is spelled alike.
“{word}” has no vector, and no word is spelled like it: its numbers are 0.
There is no picture of this sentence:
still the picture of “{text}”
what to change
score
similarity
cosine
gaussian
average
dimensions
all
heads
head
head {head}
layer
mask
none
causal
window
words on each side
temperature
positions
on
off
matrices
trained
random
top-k
top-p
change places
words that change places
first word
second word
vector
numbers
keys
key
query
value
output
word
looks at
weight
weight × vector
weight × value
what {word} gets from each word
added up: the output of
from “{word}” to
where {word} looks
the same vectors as arrows
exact: two dimensions
this plane keeps {share} of their squared length
the share of their squared length that lies in this plane
the query of {word} among the keys
weighted values, tip to tail
key of {word}
query of {word}
value of {word}
output of {word}
the output of each word in both orders
output in this order
with {first} and {second} swapped
change
how far the output of {word} moved
softmax over the scores of {word}
e to the score
divided by the sum
sum
Programs first subtract the largest score from all, so that no number gets too large; the weights are the same.
score {formula}
temperature {temperature}
{dims} dimensions
{heads} heads of {dims} dimensions
vectors: {source}
The vectors have {whole} dimensions; here are the {dims} directions that keep most of them.
The matrices are random: nothing is trained here.
A head of {source}, encoder layer {layer}; the vectors are those that this layer receives.
end
There is no trained translator here; start the page with \`regard studio\`.
Write a sentence, and the model runs on it.
running {model}
open in the inspector
the vector of {word} through layer {layer}
step
the first {count} of {of} numbers
mean
deviation
x, the layer's input
a = layer norm of x
b = attention of a
y = x + b
c = layer norm of y
d = feed-forward of c
y + d, the output
{active} of {units} inner units of the feed-forward network are active for {word}.
how similar {word} is to each word, by depth
start
layer {layer}
its start
encoder: reads all of
decoder: writes
word to write
To write {word}, the decoder looks most at {looked} ({share}).
next word
candidate
probability
chance now
the model's own choice
all others
{possible} of {vocabulary} tokens can be drawn.
candidates for the next word
step
training steps
loss
loss by training step: {first} at first, {last} at the end
asked to write “{word}” backwards, it writes
nothing
right
not yet right
cross-attention: rows are letters to write, columns letters to read
{parameters} parameters; {batch} random words in each step; each point of the curve is the mean of {every} steps. Recorded by tools/recorded_training.py.
look into a model
from words to attention, step by step
help and keys
theme: {theme}; switch to {next}
system
light
dark
a sentence to look into
look
looking
enter looks into it; shift+enter begins a new line
sample
There is no text yet; write a sentence or use the sample.
opened from a trace; this model cannot be run from here
open another model
Your own, in a folder: in a terminal, run {command}
name on the Hugging Face Hub
open
opening
on this machine:
Any other is fetched.
To fetch others, start the page with {command}.
A saved trace: drop it on the page, or
options
{count} set
target: an output to look at instead of the model's own
as the model has it
fit
show the whole map (0)
export
preparing
picture, {kind}
one HTML file
these numbers, NPZ
numbers of the first map, NPZ
numbers of the map, NPZ
copy the link to this view
link copied
first steps
Write a sentence
above the picture, which follows as you write.
Point at a word:
the line above the picture says what it looked at; a click shows every number.
Strike a word out
with its ×, or pull a ribbon by its ring to another word: the translation is written again.
Choose another word
got it
dismiss
Every attention layer is being recorded; the first map appears in a moment.
nothing to see yet
Write a sentence and press Enter, or use the sample.
learn how attention works
below: the previous text
cancel
To write {word}, {who} looked at {looks}{needs}.
To predict {word}, {who} looked at {looks}.
Reading {word}, {who} looked at {looks}.
To write {word}, {who} looked mostly at {looks}{needs}.
To predict {word}, {who} looked mostly at {looks}.
Reading {word}, {who} looked mostly at {looks}.
 and needed {needs}
{change} points, {share} of the weight
 and 
 and, of the words, at 
the model
head {head} of layer {layer}
why this word?
a weight says where it looked; this measures what changes without it
the equation behind this number
write another word here
strike it out, or look at another word
strike “{word}” out
look at “{word}” instead
Which head, for {word}?
Which head? Point at a word.
layer·head, from 0
far looks first
click a word on the right for the heads that look at it
“{word}” is not there.
without the first token (s)
This trace has no attention layers.
before
now
as before
pulled
bring back
let go
bring everything back
let the model choose
This was changed in {model} and is left there: {parts}.
blue: looked at; orange: needed, with less than {little} of the weight, the mean of layers and heads (without it, the word loses over {much} points)
hidden
where each word of the source is hidden, to see what the translation loses without it
everywhere
in cross-attention
in the encoder
a word is as strong as its probability
× strikes a word out
a ring pulls its ribbon to another word, in all heads and layers
the bar above a word: how much the translation depends on it
ribbons below {least} are not drawn, {left} of the {quantity}
play: you are the attention
dotted: unsure
{word}: the model is unsure of it
strike “{word}” out and translate without it (x)
put “{word}” back (x)
pull: “{word}” then looks there alone, in all heads and layers
You are the attention
To write each word of the translation, the model looks at words of the source. {ask} Drag each word to one, or tap both: the model then has your lines in place of its {heads} heads.
Where would you look?
sentence of {date}
another one
start again
back to the ribbons
All words have a line; each can be drawn again.
Where to look to write {word}?
{word} {chance}: looking there, it would sooner write {other} ({rather})
scores of 100
you
its own {heads} heads
even looks
lines at random
copy the squares
copy the link
copy the picture
copied
There is no right answer. The score is the model’s own probability of its own words under your lines: the geometric mean over all tokens, of 100. A word without a line looks evenly at all; marks and the end are drawn for you.
hover over a token to follow it, click or press {l} to lock it, press {esc} to release all; click a line for its equation
candidates of step {step}
choose one to go on from it
step 1 had no earlier token to look at; choose a later step
forced
choose one to see its steps
why “{word}”?
input tokens
what each was worth, by several measures
logit lens
what would be written if the layers stopped here
direct logit attribution
what each head adds to the word's logit
show
side by side
difference
close
Click a cell of the map or press an arrow key to see the numbers behind its weight.
A mean over heads has no equation of its own; choose a single head.
“{word}” looks at
“{word}” is looked at by
switch off
this edge
the output is written again without it
help
keys
A model weighs all words it can see before it writes or reads one: that is attention. This page shows every such weight. In the translation a ribbon is as wide as the weight; in the map each row is a word that looks and each column a word that is looked at, stronger in color for more. A weight says where the model looked; {why} measures what would change without it.
move the focus cell; with shift, by ten
previous head; in Learn, previous lesson
next head; in Learn, next lesson
previous layer
next layer
zoom in and out
fit the whole map
without the first token (sink)
find two words of a long text; enter: earlier
lock or release the query
open or close the equation
switch off the edge under the pointer or the focus
strike out the word of the source under the pointer or the focus
pull the ribbon of a translated word: arrows, then enter or esc
go to the text
in the text: look at it
this list
close what is open
On the map: use the wheel or pinch to zoom at the pointer, drag to pan, double-click to zoom in, click to open the equation. In a notebook, the wheel scrolls the notebook until you click, or hold ctrl.
zoom
sentence
the words, and lines for where they look
map
every weight; + and − come closer and go farther
cell
one weight and those around it
products
the products behind the weight (e)
equation
word
how a word was written: what else it might have been, and what the step looked at
why
why a word was written: what each token, layer and head did for it
close (esc)
loading the numbers
predicts {word}
this query may not look at this key, in this head (a)
the output of this head in this layer becomes zero
no other position may look at this key, in any layer or head
to see what changes in step {step}{word}
to see which step of the output changes most
to see what changes in the label
to see what changes in the output
the output itself is written again in regard studio and in the file of regard export page
the label
step {step} of the output
as it was
which changes most
the probability before and after
the weight, step by step
{count} others
scale
bias
cap
soft-capped
may attend: unchanged
may not attend: −∞
log-sum-exp: log Σ exp(score) of the row, so that its weights add up to 1
The norm ‖α·f(x)‖ is unknown: this layer's output projection was not recorded.
pin
this map stays beside the next: of another head, layer, text or model
compare
the present map minus the pinned one
both are the same map; choose another head or layer, text or model, and the first is that one
the two differ in {parts}
they are compared position by position, because their tokens differ
one color scale for both
each with a color scale of its own
these maps have {one} and {other} cells, so their cells do not correspond; to see a difference, choose a text with the same number of tokens, or another head or layer of the same text
model
text
the text
tokens of {name}
{count} before …
… {count} more
flow
lines: all {count}
{count} more lines, {share} of the {quantity}
from the visible queries
translation
output
input
read at the output step, which predicts the word
read at the input step, which reads the word
the word to ask about
step {step}
steps {first} to {last} of {count}
looked at in the {where}
write this word here and go on from it
chosen
hypotheses of the beam: {count}
only the selected one can be shown here
hypothesis {number}: {text}, score {score}
no score
shown
cut off
why this word
tokens of the
output so far
against
no other word
computing: {what}
Without {without}, {word} would be {points} percentage points less likely.
Without any single one of these tokens, {word} would not be a percentage point less likely.
tokens by measure
layers by heads
feed-forward
open this head's map
embedding {embedding}, biases {bias}; logit of {word} {logit}
embedding {embedding}, biases {bias}; {word} over {against} {logit}
the terms add up to the logit; every norm on the way keeps the scale that it had in this run
embedding
after layer {layer}
{share}, rank {rank}
gradient × input
value zeroing
the attention weight, mean over layers and heads
the length of what all heads take from the token, mean over layers
length of the word's log-probability's gradient times the token's embedding
how far a layer's output turns (cosine distance) when the token's value is set to zero, mean over layers
change of the word's probability when no other position sees the token
ρ: how alike a measure and |Δp| rank these tokens (Spearman's rank correlation): 1 is the same order, 0 nothing in common
{kind}-attention, {side} layer {layer}
self
cross
encoder
decoder
{quantity} of {tap}, {heads}
mean over heads
heads {heads}
source
target
patches
tokens
norm
quantity
the weight α: the output of softmax
the length ‖α·f(x)‖ of the vector that the weight lets through
the score, before softmax
scale
auto
linear
log
per row
by
token
word
sentence
blocks
largest
mean
This map has no cells: its text is empty.
map of {quantity}, {title}: queries {rows} by keys {columns}, in units of a {units}
attention map
queries {queries} → keys {keys}
masked: may not attend
masked: none of these queries may attend
between maxima
between means
every {every} rows so far
upper end of the color scale
lower end of the color scale
reset ends
blocks of {size} × {size}: difference {what}
{what} of {size} × {size} cells
preview: every {every} rows so far
differences are shown on a linear scale
a log scale also shows small weights
scores are logarithms already: linear scale
log scale
colors are relative to each row’s largest value in the visible tiles
each row against its largest
0.5 % of the cells in view are above the upper end
by the square root
by the cube root
by the fourth root
{key} ({share} of the weight)
the scale leaves out the sink, key {keys}
without {tokens} (in no group)
previous token
next token
same token
first token
separator
punctuation
induction
alignment
no simple pattern
{name}: {share} of the weight, {chance} by chance
attention to show
attention
encoder self
decoder self
cross
{count} of {of} rows
mostly at {token}: {count} of {of} heads
but mostly {token}
shift and a click: beside the others, as lines
entropy {entropy} bits
mean distance {distance} tokens
labels
image
choose or drop an image
Point at a part: the others are colored by how much it looks at them. A click keeps it.
without {word}
nearest in meaning, of {count} sentences:
nearest sentences
cosines of the vectors, with {count} everyday sentences
row sums within {sums} of 1 · at most {most} from the full softmax · {rows} rows sampled · {dtype}
measured on {rows} sampled rows, compared with the full softmax in float64
{where}, adds nothing
query {query} does not see key {key}
no other position sees it, in any layer and head
“{query}” sees “{key}” alone: {where}
in all heads and layers
what changed
switched off
picture of the drawer, {kind}
under “word”: the model goes on from it.
Come closer:
the same weights as a map, a cell and its products.
The server does not respond. Check that {command} is still running; the page reconnects by itself.
No model is open here. In a terminal, run: regard studio FOLDER; or, for a saved trace: regard look FILE.
model and text
{model} cannot be run here; choose a model from the list.
sentence
which sentence of the text to look at
beams
hypotheses that the search keeps at each step
new tokens
how many tokens the model adds; 0 only reads the text
temperature
draws tokens; below 1 the likely ones more often
top-k
draws tokens, among this many likeliest
top-p
draws tokens, among the likeliest that hold this much probability
seed
draws tokens; the same seed draws the same ones
This page opens no files; run: regard look {file}
A saved trace ends in .safetensors; got {file}. \`trace.save\` and \`regard look --save\` write one.
running the model
waiting for another text
{stage}, token {token} of at most {most}
generating
capturing attention
loading the model
reading the text
checking the weights
maps are of one pass over the finished hypothesis
loaded from a file: nothing can be ablated without the model
its weights are as the model gave them, not recomputed
its output projection is unknown, and therefore ‖α·f(x)‖ too
the model gives vectors, no scores of words or labels (logits), so nothing can be switched off
forced: the output begins with “{text}”
struck out: no other position sees {words}
switched off: {query} to {key}, in head {head} of {tap}
switched off: head {head} of {tap}
pulled: {query} sees {key} alone, in {where}
{tap}, head {head}: “{query}” no longer sees “{key}”
{tap}: head {head} adds nothing
no other position sees “{word}”, in any layer and head
There is no text to look at; give a sentence.
A text may have {most} tokens with {model}; got {count}. Look at a part of it.
{text} is in another language than {model} reads. Give a text in that one, or choose another model.
The text seems to be in another language than {model} reads, so the translation may be a guess
There is no text to look at; write a sentence.
{text} has nothing to translate: it stays as it is.
{model} cannot read this text: its vocabulary lacks {share}% of the characters of {text}. Give a text in its language, or choose another model.
sentence must be from 1 to {most}, as the text has them; got {number}.
A prompt may have {most} tokens with {model}, so that something can follow; got {count}. Shorten it.
An output may begin with {most} tokens; got {count}.
The search found hypotheses 0 to {most}; got {number}.
The search found no text: every token was forbidden at some step.
The target is empty; give a sentence, or leave the target out.
A target may have 1 to {most} tokens after this text with {model}; got {count}.
A target leaves nothing to draw; leave out either the target or temperature, top-k, top-p and seed.
Tokens are drawn or searched for, not both; leave out either the {beams} beams or temperature, top-k, top-p and seed.
temperature must be a number above 0; got {number}.
top-k must be a whole number of at least 0 (0: every token); got {number}.
top-p must be above 0 and at most 1; got {number}.
seed must be a whole number of at least 0; got {number}.
Position {key} of {axis} is struck out, so nothing can look at it; put it back, or look at another one.
{tap} sees no later position; got a look from {query} to {key}.
There is nothing to explain: the sentence has no word; give one.
A lesson shows at most {most} words; this text has {count}: shorten it.
An explanation shows at most {most} tokens; got {count}: shorten the sentence.
This file has no word vectors; export the page again.
This lesson looks into a translator, and this file has none; export the page with one, such as en-de.
{model} has no stack of layers with the logits of a text that it writes; choose a model that writes.
{model} normalizes behind its layers, so they have no terms that add up here; use \`{command}\`.
This browser does not let the page start its worker; open it in a current Chromium or Firefox.
This browser lacks the SIMD or the exceptions of WebAssembly; open the page in a current Chromium or Firefox.
This browser has no memory left for the model; close other tabs and reload the page.
The engine of this page must have the interface {wanted}, and has {version}; save the page again.
The model cannot run in this page: {why}.
The browser cannot read this image; choose another one.
This file is cut off, so a model in it is not whole; get it again.
This file holds {models}; for {model}, run \`{command}\`.
This text is no longer open here; look at it again.
What an output depends on is known for a translation or a label.
{what} is not made in this page; run \`regard look\` to see it.
Draws with the random numbers of Python (numpy's Philox), not PyTorch's; a text can still differ, since weights are rounded to int8.`,`Sprache
untersuchen
lernen
Lektionen
Lektion {place} von {count}
auf dem Weg
zurück
weiter
zurücksetzen
der Beispielsatz und die Lektion wie am Anfang
noch einmal versuchen
Satz
Ihr Satz (englisch)
Wort im Mittelpunkt
„{word}“ hat keinen eigenen Vektor und leiht sich den von „{other}“, das ähnlich geschrieben wird.
„{word}“ hat keinen Vektor, und kein Wort wird ähnlich geschrieben: Seine Zahlen sind 0.
Zu diesem Satz gibt es kein Bild:
noch das Bild zu „{text}“
was sich ändern lässt
Bewertung
Ähnlichkeit
Kosinus
Gauß
Mittelwert
Dimensionen
alle
Köpfe
Kopf
Kopf {head}
Schicht
Maske
keine
kausal
Fenster
Wörter auf jeder Seite
Temperatur
Positionen
an
aus
Matrizen
trainiert
zufällig
top-k
top-p
vertauschen
Wörter, die die Plätze tauschen
erstes Wort
zweites Wort
Vektor
Zahlen
Keys
Key
Query
Value
Ausgabe
Wort
achtet auf
Gewicht
Gewicht × Vektor
Gewicht × Value
was {word} von jedem Wort bekommt
zusammengezählt: die Ausgabe von
von „{word}“ zu
worauf {word} achtet
dieselben Vektoren als Pfeile
genau: zwei Dimensionen
diese Ebene enthält {share} ihrer quadrierten Länge
der Anteil ihrer quadrierten Länge, der in dieser Ebene liegt
die Query von {word} unter den Keys
gewichtete Values, Spitze an Fuß
Key von {word}
Query von {word}
Value von {word}
Ausgabe von {word}
die Ausgabe jedes Wortes in beiden Reihenfolgen
Ausgabe in dieser Reihenfolge
mit {first} und {second} vertauscht
Änderung
wie weit sich die Ausgabe von {word} bewegt hat
Softmax über die Bewertungen von {word}
e hoch Bewertung
geteilt durch die Summe
Summe
Programme ziehen zuerst die größte Bewertung von allen ab, damit keine Zahl zu groß wird; die Gewichte bleiben dieselben.
Bewertung {formula}
Temperatur {temperature}
{dims} Dimensionen
{heads} Köpfe mit {dims} Dimensionen
Vektoren: {source}
Die Vektoren haben {whole} Dimensionen; hier sind die {dims} Richtungen, die am meisten davon bewahren.
Die Matrizen sind zufällig: Hier ist nichts trainiert.
Ein Kopf von {source}, Schicht {layer} des Encoders; die Vektoren sind die, die diese Schicht bekommt.
Ende
Hier gibt es keinen trainierten Übersetzer; starten Sie die Seite mit \`regard studio\`.
Schreiben Sie einen Satz, und das Modell läuft darüber.
{model} läuft
im Inspektor öffnen
der Vektor von {word} durch Schicht {layer}
Schritt
die ersten {count} von {of} Zahlen
Mittelwert
Abweichung
x, die Eingabe der Schicht
a = Layer-Norm von x
b = Attention von a
y = x + b
c = Layer-Norm von y
d = Feed-Forward von c
y + d, die Ausgabe
{active} von {units} inneren Einheiten des Feed-Forward-Netzes sind bei {word} aktiv.
wie ähnlich {word} jedem Wort ist, nach Tiefe
Anfang
Schicht {layer}
sein Anfang
Encoder: liest alles
Decoder: schreibt
zu schreibendes Wort
Um {word} zu schreiben, achtet der Decoder am meisten auf {looked} ({share}).
nächstes Wort
Kandidat
Wahrscheinlichkeit
Chance jetzt
die Wahl des Modells
alle anderen
{possible} von {vocabulary} Tokens können gezogen werden.
Kandidaten für das nächste Wort
Schritt
Trainingsschritte
Verlust
Verlust nach Trainingsschritten: {first} am Anfang, {last} am Ende
soll „{word}“ rückwärts schreiben und schreibt
nichts
richtig
noch nicht richtig
Cross-Attention: Zeilen sind Buchstaben, die geschrieben werden, Spalten solche, die gelesen werden
{parameters} Parameter; {batch} zufällige Wörter in jedem Schritt; jeder Punkt der Kurve ist das Mittel von {every} Schritten. Aufgezeichnet von tools/recorded_training.py.
in ein Modell hineinsehen
von Wörtern zur Aufmerksamkeit, Schritt für Schritt
Hilfe und Tasten
Farben: {theme}; zu {next} wechseln
System
hell
dunkel
ein Satz, in den man hineinsieht
ansehen
läuft
Enter sieht hinein; Umschalt+Enter beginnt eine neue Zeile
Beispiel
Es gibt noch keinen Text; schreiben Sie einen Satz oder nehmen Sie das Beispiel.
aus einer Aufzeichnung; dieses Modell kann hier nicht laufen
ein anderes Modell öffnen
Ein eigenes in einem Ordner: im Terminal {command} aufrufen
Name im Hugging Face Hub
öffnen
öffnet
auf diesem Rechner:
Jedes andere wird geholt.
Um andere zu holen, die Seite mit {command} starten.
Eine gespeicherte Aufzeichnung: auf die Seite ziehen, oder
Optionen
{count} gesetzt
Ziel: eine Ausgabe, die statt der eigenen angesehen wird
wie das Modell es hat
ganz
die ganze Karte zeigen (0)
exportieren
wird vorbereitet
Bild, {kind}
eine HTML-Datei
diese Zahlen, NPZ
Zahlen der ersten Karte, NPZ
Zahlen der Karte, NPZ
den Link zu dieser Ansicht kopieren
Link kopiert
erste Schritte
Schreiben Sie einen Satz
über dem Bild, das beim Schreiben folgt.
Zeigen Sie auf ein Wort:
Die Zeile über dem Bild sagt, wohin es sah; ein Klick zeigt jede Zahl.
Streichen Sie ein Wort
mit seinem ×, oder ziehen Sie ein Band an seinem Ring zu einem anderen Wort: Die Übersetzung wird neu geschrieben.
Wählen Sie ein anderes Wort
verstanden
schließen
Jede Attention-Schicht wird aufgezeichnet; die erste Karte erscheint gleich.
noch nichts zu sehen
Schreiben Sie einen Satz und drücken Sie Enter, oder nehmen Sie das Beispiel.
lernen, wie Attention funktioniert
unten: der vorige Text
abbrechen
Um {word} zu schreiben, sah {who} auf {looks}{needs}.
Um {word} vorherzusagen, sah {who} auf {looks}.
Beim Lesen von {word} sah {who} auf {looks}.
Um {word} zu schreiben, sah {who} vor allem auf {looks}{needs}.
Um {word} vorherzusagen, sah {who} vor allem auf {looks}.
Beim Lesen von {word} sah {who} vor allem auf {looks}.
 und brauchte {needs}
{change} Punkte, {share} des Gewichts
 und 
 und von den Wörtern auf 
das Modell
Kopf {head} der Schicht {layer}
warum dieses Wort?
ein Gewicht sagt, wohin es sah; dies misst, was sich ohne es ändert
die Gleichung hinter dieser Zahl
hier ein anderes Wort schreiben
streichen oder auf ein anderes Wort sehen
„{word}“ streichen
stattdessen auf „{word}“ sehen
Welcher Kopf, für {word}?
Welcher Kopf? Zeigen Sie auf ein Wort.
Schicht·Kopf, ab 0
ferne Blicke zuerst
ein Klick auf ein Wort rechts: die Köpfe, die es ansehen
„{word}“ fehlt.
ohne das erste Token (s)
Diese Aufzeichnung hat keine Attention-Schichten.
vorher
jetzt
wie vorher
gezogen
zurückholen
loslassen
alles zurückholen
das Modell wählen lassen
Dies war in {model} geändert und bleibt dort: {parts}.
blau: gesehen; orange: gebraucht, mit weniger als {little} des Gewichts im Mittel der Schichten und Köpfe (ohne es verliert das Wort über {much} Punkte)
verborgen
wo jedes Wort des Originals verborgen wird, um zu sehen, was die Übersetzung ohne es verliert
überall
in der Cross-Attention
im Encoder
ein Wort ist so kräftig, wie es wahrscheinlich ist
× streicht ein Wort
ein Ring zieht sein Band zu einem anderen Wort, in allen Köpfen und Schichten
der Balken über einem Wort: wie sehr die Übersetzung von ihm abhängt
Bänder unter {least} sind nicht gezeichnet, {left} ({quantity})
spielen: Sie sind die Attention
gepunktet: unsicher
{word}: Das Modell ist sich nicht sicher
„{word}“ streichen und ohne es übersetzen (x)
„{word}“ zurücksetzen (x)
ziehen: „{word}“ sieht dann nur dorthin, in allen Köpfen und Schichten
Sie sind die Attention
Um jedes Wort der Übersetzung zu schreiben, sieht das Modell auf Wörter des Originals. {ask} Ziehen Sie jedes Wort zu einem, oder tippen Sie beide an: Das Modell hat dann Ihre Linien statt seiner {heads} Köpfe.
Wohin würden Sie sehen?
Satz vom {date}
ein anderer
von vorn
zurück zu den Bändern
Alle Wörter haben eine Linie; jede kann neu gezogen werden.
Wohin sehen, um {word} zu schreiben?
{word} {chance}: Mit dem Blick dorthin schriebe es eher {other} ({rather})
Punkte von 100
Sie
seine {heads} Köpfe
gleichmäßige Blicke
zufällige Linien
die Quadrate kopieren
den Link kopieren
das Bild kopieren
kopiert
Es gibt keine richtige Antwort. Die Punkte sind die Wahrscheinlichkeit, die das Modell seinen eigenen Wörtern mit Ihren Linien gibt: das geometrische Mittel über alle Tokens, von 100. Ein Wort ohne Linie sieht gleichmäßig auf alle; Satzzeichen und Ende sind schon gezogen.
zeigen Sie auf ein Token, um ihm zu folgen, klicken Sie oder drücken Sie {l}, um es festzuhalten, {esc} lässt alle los; ein Klick auf eine Linie zeigt ihre Gleichung
Kandidaten von Schritt {step}
einen wählen, um von dort weiterzuschreiben
Schritt 1 hatte kein früheres Token zu sehen; wählen Sie einen späteren
erzwungen
eine wählen, um ihre Schritte zu sehen
warum „{word}“?
Eingabe-Tokens
was jedes wert war, nach mehreren Maßen
Logit-Linse
was geschrieben würde, wenn die Schichten hier endeten
direkte Logit-Zuschreibung
was jeder Kopf zum Logit des Wortes beiträgt
zeigen
nebeneinander
Differenz
schließen
Klicken Sie auf eine Zelle der Karte oder drücken Sie eine Pfeiltaste, um die Zahlen hinter ihrem Gewicht zu sehen.
Ein Mittel über Köpfe hat keine eigene Gleichung; wählen Sie einen einzelnen Kopf.
„{word}“ sieht auf
„{word}“ wird gesehen von
ausschalten
diese Kante
die Ausgabe wird ohne es neu geschrieben
Hilfe
Tasten
Ein Modell wägt alle Wörter ab, die es sieht, bevor es eines schreibt oder liest: Das ist Attention. Diese Seite zeigt jedes dieser Gewichte. In der Übersetzung ist ein Band so breit wie das Gewicht; in der Karte ist jede Zeile ein Wort, das sieht, und jede Spalte eines, das gesehen wird, kräftiger in der Farbe für mehr. Ein Gewicht sagt, wohin das Modell sah; {why} misst, was sich ohne es änderte.
die Zelle im Fokus bewegen; mit Umschalt um zehn
voriger Kopf; beim Lernen vorige Lektion
nächster Kopf; beim Lernen nächste Lektion
vorige Schicht
nächste Schicht
vergrößern und verkleinern
die ganze Karte
ohne das erste Token (Senke)
zwei Wörter eines langen Textes finden; Enter: davor
die Zeile festhalten oder loslassen
die Gleichung öffnen oder schließen
die Kante unter dem Zeiger oder im Fokus ausschalten
das Wort des Originals unter dem Zeiger oder im Fokus streichen
das Band eines übersetzten Wortes ziehen: Pfeile, dann Enter oder Esc
zum Text
im Text: ansehen
diese Liste
schließen, was offen ist
Auf der Karte: Das Rad oder zwei Finger vergrößern am Zeiger, Ziehen verschiebt, ein Doppelklick vergrößert, ein Klick öffnet die Gleichung. In einem Notebook rollt das Rad das Notebook, bis Sie klicken oder Strg halten.
Abstand
Satz
die Wörter und Linien dahin, wohin sie sehen
Karte
jedes Gewicht; + und − gehen näher und weiter weg
Zelle
ein Gewicht und die um es herum
Produkte
die Produkte hinter dem Gewicht (e)
Gleichung
Wort
wie ein Wort geschrieben wurde: was es sonst hätte sein können, und worauf der Schritt sah
warum
warum ein Wort geschrieben wurde: was jedes Token, jede Schicht und jeder Kopf dafür tat
schließen (esc)
die Zahlen werden geladen
sagt {word} vorher
diese Query darf in diesem Kopf nicht auf diesen Key sehen (a)
die Ausgabe dieses Kopfes in dieser Schicht wird null
keine andere Position darf auf diesen Key sehen, in keiner Schicht und keinem Kopf
um zu sehen, was sich in Schritt {step}{word} ändert
um zu sehen, welcher Schritt der Ausgabe sich am meisten ändert
um zu sehen, was sich an der Klasse ändert
um zu sehen, was sich an der Ausgabe ändert
die Ausgabe selbst schreiben regard studio und die Datei von regard export page neu
die Klasse
Schritt {step} der Ausgabe
wie er war
der sich am meisten ändert
die Wahrscheinlichkeit vorher und nachher
das Gewicht, Schritt für Schritt
{count} andere
Faktor
Bias
Kappe
weich gekappt
darf sehen: unverändert
darf nicht sehen: −∞
Log-Summe-Exp: log Σ exp(Bewertung) der Zeile, damit ihre Gewichte zusammen 1 ergeben
Die Norm ‖α·f(x)‖ ist unbekannt: Die Ausgabe-Projektion dieser Schicht wurde nicht aufgezeichnet.
anheften
diese Karte bleibt neben der nächsten: eines anderen Kopfes, Textes, Modells oder einer anderen Schicht
Vergleich
die jetzige Karte minus die angeheftete
beide sind dieselbe Karte; wählen Sie einen anderen Kopf, Text, ein anderes Modell oder eine andere Schicht, dann ist es die erste
die beiden unterscheiden sich in: {parts}
sie werden Position für Position verglichen, weil ihre Tokens verschieden sind
eine Farbskala für beide
jede mit einer eigenen Farbskala
diese Karten haben {one} und {other} Zellen, die einander nicht entsprechen; für eine Differenz wählen Sie einen Text mit gleich vielen Tokens oder einen anderen Kopf oder eine andere Schicht desselben Textes
Modell
Text
der Text
Tokens: {name}
{count} davor …
… {count} weitere
Linien
Linien: alle {count}
weitere Linien: {count}, {share} ({quantity})
der sichtbaren Queries
Übersetzung
Ausgabe
Eingabe
gelesen am Ausgabeschritt, der das Wort vorhersagt
gelesen am Eingabeschritt, der das Wort liest
das Wort, um das es geht
Schritt {step}
Schritte {first} bis {last} von {count}
gesehen: {where}
dieses Wort hier schreiben und von ihm weiterschreiben
gewählt
Hypothesen der Suche: {count}
hier lässt sich nur die gewählte zeigen
Hypothese {number}: {text}, Bewertung {score}
ohne Bewertung
gezeigt
abgeschnitten
warum dieses Wort
Tokens:
Ausgabe bis hierher
gegenüber
kein anderes Wort
wird berechnet: {what}
Ohne {without} wäre {word} um {points} Prozentpunkte weniger wahrscheinlich.
Ohne irgendein einzelnes dieser Tokens wäre {word} keinen Prozentpunkt weniger wahrscheinlich.
Tokens nach Maß
Schichten mal Köpfe
Feed-Forward
die Karte dieses Kopfes öffnen
Embedding {embedding}, Biase {bias}; Logit von {word} {logit}
Embedding {embedding}, Biase {bias}; {word} vor {against} {logit}
die Terme ergeben zusammen den Logit; jede Norm auf dem Weg behält den Maßstab, den sie in diesem Lauf hatte
Embedding
nach Schicht {layer}
{share}, Rang {rank}
Gradient × Eingabe
Value genullt
das Attention-Gewicht, Mittel über Schichten und Köpfe
die Länge dessen, was alle Köpfe vom Token nehmen, Mittel über Schichten
Länge des Gradienten der Log-Wahrscheinlichkeit des Wortes mal Embedding des Tokens
wie weit sich die Ausgabe einer Schicht dreht (Kosinus-Abstand), wenn der Value des Tokens auf null gesetzt wird, Mittel über Schichten
Änderung der Wahrscheinlichkeit des Wortes, wenn keine andere Position das Token sieht
ρ: wie ähnlich ein Maß und |Δp| diese Tokens ordnen (Spearmans Rangkorrelation): 1 ist dieselbe Reihenfolge, 0 nichts gemeinsam
{kind}-Attention, {side}, Schicht {layer}
Self
Cross
Encoder
Decoder
{quantity} der {tap}, {heads}
Mittel über die Köpfe
Köpfe {heads}
Original
Ausgabe
Bildteile
Tokens
Norm
Größe
das Gewicht α: die Ausgabe von Softmax
die Länge ‖α·f(x)‖ des Vektors, den das Gewicht durchlässt
die Bewertung, vor Softmax
Skala
automatisch
linear
logarithmisch
je Zeile
nach
Token
Wort
Satz
Blöcke
größtes
Mittel
Diese Karte hat keine Zellen: Ihr Text ist leer.
Karte: {quantity}, {title}: Queries {rows} mal Keys {columns}, je {units}
Attention-Karte
Queries {queries} → Keys {keys}
maskiert: darf nicht sehen
maskiert: Keine dieser Queries darf sehen
zwischen Maxima
zwischen Mitteln
bisher alle {every} Zeilen
oberes Ende der Farbskala
unteres Ende der Farbskala
Enden zurücksetzen
Blöcke von {size} × {size}: Differenz {what}
{what} von {size} × {size} Zellen
Vorschau: bisher alle {every} Zeilen
Differenzen stehen auf einer linearen Skala
eine logarithmische Skala zeigt auch kleine Gewichte
Bewertungen sind schon Logarithmen: lineare Skala
logarithmische Skala
Farben gelten im Verhältnis zum größten Wert jeder Zeile in den sichtbaren Kacheln
jede Zeile gegen ihr Größtes
0,5 % der sichtbaren Zellen liegen über dem oberen Ende
nach der Quadratwurzel
nach der dritten Wurzel
nach der vierten Wurzel
{key} ({share} des Gewichts)
die Skala lässt die Senke aus, Key {keys}
ohne {tokens} (in keiner Gruppe)
voriges Token
nächstes Token
dasselbe Token
erstes Token
Trenner
Satzzeichen
Induktion
Zuordnung
kein einfaches Muster
{name}: {share} des Gewichts, {chance} durch Zufall
gezeigte Attention
Attention
Encoder
Decoder
Cross
{count} von {of} Zeilen
vor allem auf {token}: {count} von {of} Köpfen
aber vor allem {token}
Umschalt und ein Klick: neben den anderen, als Linien
Entropie {entropy} Bit
mittlerer Abstand {distance} Tokens
Klassen
Bild
Bild wählen oder herziehen
Zeigen Sie auf einen Teil: Die anderen haben Farbe, je mehr er auf sie sieht. Ein Klick hält ihn fest.
ohne {word}
dem Sinn nach am nächsten, von {count} Sätzen:
nächste Sätze
Kosinus der Vektoren, mit {count} alltäglichen Sätzen
Zeilensummen bis auf {sums} gleich 1 · höchstens {most} vom vollen Softmax entfernt · {rows} Zeilen geprüft · {dtype}
gemessen an {rows} Zeilen, verglichen mit dem vollen Softmax in float64
{where}, trägt nichts bei
Query {query} sieht Key {key} nicht
keine andere Position sieht es, in keiner Schicht und keinem Kopf
„{query}“ sieht nur „{key}“: {where}
in allen Köpfen und Schichten
was sich änderte
ausgeschaltet
Bild der Schublade, {kind}
unter „Wort“: Das Modell schreibt von dort weiter.
Gehen Sie näher:
dieselben Gewichte als Karte, als Zelle und ihre Produkte.
Der Server antwortet nicht. Prüfen Sie, ob {command} noch läuft; die Seite verbindet sich von selbst wieder.
Hier ist kein Modell geöffnet. Im Terminal: regard studio ORDNER; für eine gespeicherte Aufzeichnung: regard look DATEI.
Modell und Text
{model} läuft hier nicht; wählen Sie ein Modell aus der Liste.
Satz
welcher Satz des Textes angesehen wird
Strahlen
Hypothesen, die die Suche in jedem Schritt behält
neue Tokens
wie viele Tokens das Modell anfügt; 0 liest den Text nur
Temperatur
zieht Tokens; unter 1 die wahrscheinlichen öfter
top-k
zieht Tokens aus so vielen wahrscheinlichsten
top-p
zieht Tokens aus den wahrscheinlichsten, die zusammen so viel haben
Startwert
zieht Tokens; derselbe Startwert zieht dieselben
Diese Seite öffnet keine Dateien; im Terminal: regard look {file}
Eine gespeicherte Aufzeichnung endet auf .safetensors; dies ist {file}. \`trace.save\` und \`regard look --save\` schreiben eine.
das Modell läuft
wartet auf einen anderen Text
{stage}, Token {token} von höchstens {most}
schreibt
zeichnet die Attention auf
lädt das Modell
liest den Text
prüft die Gewichte
die Karten sind von einem Durchgang über die fertige Hypothese
aus einer Datei geladen: Ohne das Modell lässt sich nichts ausschalten
seine Gewichte sind, wie das Modell sie gab, nicht neu berechnet
seine Ausgabe-Projektion ist unbekannt, und damit auch ‖α·f(x)‖
das Modell gibt Vektoren, keine Bewertungen von Wörtern oder Klassen (Logits), also lässt sich nichts ausschalten
erzwungen: Die Ausgabe beginnt mit „{text}“
gestrichen: Keine andere Position sieht {words}
ausgeschaltet: {query} zu {key}, in Kopf {head} von {tap}
ausgeschaltet: Kopf {head} von {tap}
gezogen: {query} sieht nur {key}, in {where}
{tap}, Kopf {head}: „{query}“ sieht „{key}“ nicht mehr
{tap}: Kopf {head} trägt nichts bei
keine andere Position sieht „{word}“, in keiner Schicht und keinem Kopf
Es gibt keinen Text zum Ansehen; geben Sie einen Satz.
Ein Text darf mit {model} {most} Tokens haben; dieser hat {count}. Sehen Sie einen Teil davon an.
{text} ist in einer anderen Sprache, als {model} liest. Geben Sie einen Text in jener, oder wählen Sie ein anderes Modell.
Der Text scheint in einer anderen Sprache zu sein, als {model} liest; die Übersetzung kann geraten sein
Es gibt keinen Text zum Ansehen; schreiben Sie einen Satz.
{text} hat nichts zu übersetzen: Es bleibt, wie es ist.
{model} kann diesen Text nicht lesen: Seinem Vokabular fehlen {share} % der Zeichen von {text}. Geben Sie einen Text in seiner Sprache, oder wählen Sie ein anderes Modell.
Der Satz muss von 1 bis {most} sein, so viele hat der Text; dies ist {number}.
Mit {model} darf ein Anfang {most} Tokens haben, damit etwas folgen kann; dieser hat {count}. Kürzen Sie ihn.
Eine Ausgabe darf mit {most} Tokens beginnen; dies sind {count}.
Die Suche fand die Hypothesen 0 bis {most}; dies ist {number}.
Die Suche fand keinen Text: In einem Schritt war jedes Token verboten.
Das Ziel ist leer; geben Sie einen Satz, oder lassen Sie das Ziel weg.
Nach diesem Text darf ein Ziel mit {model} 1 bis {most} Tokens haben; dieses hat {count}.
Mit einem Ziel gibt es nichts zu ziehen; lassen Sie entweder das Ziel weg oder Temperatur, top-k, top-p und Startwert.
Tokens werden gezogen oder gesucht, nicht beides; lassen Sie entweder die {beams} Strahlen weg oder Temperatur, top-k, top-p und Startwert.
Die Temperatur muss eine Zahl über 0 sein; dies ist {number}.
top-k muss eine ganze Zahl ab 0 sein (0: jedes Token); dies ist {number}.
top-p muss über 0 und höchstens 1 sein; dies ist {number}.
Der Startwert muss eine ganze Zahl ab 0 sein; dies ist {number}.
Position {key} von {axis} ist gestrichen, also kann nichts auf sie sehen; holen Sie sie zurück, oder sehen Sie auf eine andere.
{tap} sieht keine spätere Position; dies ist ein Blick von {query} auf {key}.
Es gibt nichts zu erklären: Der Satz hat kein Wort; geben Sie eines.
Eine Lektion zeigt höchstens {most} Wörter; dieser Text hat {count}: Kürzen Sie ihn.
Eine Erklärung zeigt höchstens {most} Tokens; dies sind {count}: Kürzen Sie den Satz.
Diese Datei hat keine Wortvektoren; exportieren Sie die Seite neu.
Diese Lektion sieht in einen Übersetzer hinein, und diese Datei hat keinen; exportieren Sie die Seite mit einem, etwa en-de.
{model} hat keine Schichten mit den Logits eines Textes, den es schreibt; wählen Sie ein Modell, das schreibt.
{model} normiert hinter seinen Schichten, also haben sie hier keine Terme, die sich addieren; nehmen Sie \`{command}\`.
Dieser Browser lässt die Seite ihren Worker nicht starten; öffnen Sie sie in einem aktuellen Chromium oder Firefox.
Diesem Browser fehlen SIMD oder die Ausnahmen von WebAssembly; öffnen Sie die Seite in einem aktuellen Chromium oder Firefox.
Dieser Browser hat keinen Speicher mehr für das Modell; schließen Sie andere Tabs, und laden Sie die Seite neu.
Die Engine dieser Seite muss die Schnittstelle {wanted} haben, und hat {version}; speichern Sie die Seite noch einmal.
Das Modell kann auf dieser Seite nicht laufen: {why}.
Der Browser kann dieses Bild nicht lesen; wählen Sie ein anderes.
Diese Datei ist abgeschnitten, ein Modell in ihr ist also nicht ganz; holen Sie sie noch einmal.
Diese Datei hat {models}; für {model} rufen Sie \`{command}\` auf.
Dieser Text ist hier nicht mehr offen; sehen Sie ihn noch einmal an.
Wovon eine Ausgabe abhängt, ist für eine Übersetzung oder eine Klasse bekannt.
{what} entsteht auf dieser Seite nicht; \`regard look\` zeigt es.
Zieht mit den Zufallszahlen von Python (numpys Philox), nicht mit denen von PyTorch; ein Text kann trotzdem anders sein, weil Gewichte auf int8 gerundet sind.`,`भाषा
जाँचें
सीखें
पाठ
पाठ {place} / {count}
आगे-पीछे
पिछला
अगला
फिर से शुरू
उदाहरण वाक्य और पाठ अपनी शुरुआती दशा में
फिर कोशिश करें
वाक्य
आपका वाक्य (अंग्रेज़ी)
चुना हुआ शब्द
“{word}” का अपना वेक्टर नहीं है; यहाँ उससे मिलती वर्तनी वाले “{other}” का वेक्टर लिया गया है।
“{word}” का वेक्टर नहीं है और किसी शब्द की वर्तनी उससे नहीं मिलती: उसकी संख्याएँ 0 हैं।
इस वाक्य का चित्र नहीं बन सका:
चित्र अब भी “{text}” का है
क्या बदलें
स्कोर
समानता
कोसाइन
गाउसीय
औसत
आयाम
सभी
हेडों की संख्या
हेड
हेड {head}
परत
मास्क
कोई नहीं
कारणात्मक
खिड़की
हर ओर के शब्द
तापमान
स्थितियाँ
चालू
बंद
मैट्रिक्स
प्रशिक्षित
यादृच्छिक
top-k (शीर्ष k)
top-p (शीर्ष p)
अदला-बदली
जिन शब्दों की जगह बदलेगी
पहला शब्द
दूसरा शब्द
वेक्टर
संख्याएँ
कीज़
की
क्वेरी
वैल्यू
आउटपुट
शब्द
किसे देखता है
भार
भार × वेक्टर
भार × वैल्यू
{word} को हर शब्द से क्या मिलता है
सबका योग, आउटपुट:
“{word}” से
{word} किसे देखता है
वही वेक्टर, तीरों के रूप में
सटीक: दो आयाम
इस तल में उनकी लंबाई के वर्ग का {share} है
लंबाई के वर्ग का वह हिस्सा जो इस तल में है
कीज़ के बीच {word} की क्वेरी
भारित वैल्यू, एक के सिरे पर दूसरी
{word} की की
{word} की क्वेरी
{word} की वैल्यू
{word} का आउटपुट
दोनों क्रमों में हर शब्द का आउटपुट
इस क्रम में आउटपुट
{first} और {second} की अदला-बदली पर
अंतर
{word} का आउटपुट कितना खिसका
{word} के स्कोरों पर सॉफ़्टमैक्स
e की घात स्कोर
योग से भाग
योग
प्रोग्राम पहले सभी में से सबसे बड़ा स्कोर घटाते हैं, ताकि कोई संख्या बहुत बड़ी न हो; भार वही रहते हैं।
स्कोर {formula}
तापमान {temperature}
{dims} आयाम
{heads} हेड, हर एक में {dims} आयाम
वेक्टर: {source}
वेक्टरों में {whole} आयाम हैं; यहाँ वे {dims} दिशाएँ हैं जिनमें उनका अधिकांश बचा रहता है।
मैट्रिक्स यादृच्छिक हैं: यहाँ कुछ भी प्रशिक्षित नहीं है।
{source} का हेड, एनकोडर की परत {layer}; वेक्टर वे हैं जो इस परत को मिलते हैं।
अंत
यहाँ कोई प्रशिक्षित अनुवादक नहीं है; पेज को \`regard studio\` से शुरू कीजिए।
एक वाक्य लिखिए, मॉडल उस पर चलेगा।
{model} चल रहा है
इंस्पेक्टर में खोलें
परत {layer} में {word} का वेक्टर
चरण
{of} में से पहली {count} संख्याएँ
माध्य
विचलन
x, परत का इनपुट
a = x का लेयर नॉर्म
b = a का अटेंशन
y = x + b
c = y का लेयर नॉर्म
d = c का फ़ीड-फ़ॉरवर्ड
y + d, आउटपुट
{word} के लिए फ़ीड-फ़ॉरवर्ड नेटवर्क की {units} में से {active} भीतरी इकाइयाँ सक्रिय हैं।
हर गहराई पर {word} हर शब्द से कितना मिलता है
शुरुआत
परत {layer}
शुरुआत से
एनकोडर: सब कुछ पढ़ता है
डिकोडर: लिखता है
लिखा जाने वाला शब्द
{word} लिखने के लिए डिकोडर सबसे ज़्यादा {looked} को देखता है ({share})।
अगला शब्द
उम्मीदवार
प्रायिकता
अब संभावना
मॉडल का अपना चुनाव
बाकी सभी
{vocabulary} में से {possible} टोकन निकाले जा सकते हैं।
अगले शब्द के उम्मीदवार
कदम
प्रशिक्षण के कदम
लॉस
प्रशिक्षण के कदमों के साथ लॉस: शुरू में {first}, अंत में {last}
“{word}” को उल्टा लिखने को कहने पर लिखता है
कुछ नहीं
सही
अभी सही नहीं
क्रॉस-अटेंशन: पंक्तियाँ लिखे जाने वाले अक्षर, स्तंभ पढ़े जाने वाले अक्षर
{parameters} पैरामीटर; हर कदम में {batch} यादृच्छिक शब्द; वक्र का हर बिंदु {every} कदमों का माध्य है। tools/recorded_training.py से दर्ज।
किसी मॉडल के भीतर देखें
शब्दों से अटेंशन तक, क़दम दर क़दम
सहायता और कुंजियाँ
रंग: {theme}; {next} पर जाएँ
सिस्टम
हल्का
गहरा
देखने के लिए एक वाक्य
देखें
चल रहा है
एंटर से देखें; शिफ़्ट+एंटर से नई पंक्ति
उदाहरण
अभी कोई पाठ नहीं है; एक वाक्य लिखें या उदाहरण लें।
एक ट्रेस से खोला गया; यह मॉडल यहाँ नहीं चल सकता
दूसरा मॉडल खोलें
अपना, किसी फ़ोल्डर में: टर्मिनल में {command} चलाएँ
Hugging Face Hub पर नाम
खोलें
खुल रहा है
इस मशीन पर:
कोई और हो तो मँगाया जाता है।
दूसरे मँगाने के लिए पेज {command} से शुरू करें।
सहेजा हुआ ट्रेस: पेज पर छोड़ें, या
विकल्प
{count} चुने गए
लक्ष्य: मॉडल के अपने पाठ की जगह देखने के लिए पाठ
जैसा मॉडल में है
पूरा
पूरा नक़्शा दिखाएँ (0)
निर्यात
तैयार हो रहा है
चित्र, {kind}
एक HTML फ़ाइल
यही संख्याएँ, NPZ
पहले नक़्शे की संख्याएँ, NPZ
नक़्शे की संख्याएँ, NPZ
इस दृश्य का लिंक कॉपी करें
लिंक कॉपी हुआ
पहले क़दम
एक वाक्य लिखें
चित्र के ऊपर; लिखते-लिखते चित्र बदलता है।
किसी शब्द पर इंगित करें:
चित्र के ऊपर की पंक्ति बताती है कि उसने क्या देखा; क्लिक से हर संख्या दिखती है।
एक शब्द काटें
उसके × से, या फ़ीते को उसके छल्ले से दूसरे शब्द तक खींचें: अनुवाद फिर से लिखा जाता है।
दूसरा शब्द चुनें
समझ गए
बंद करें
हर अटेंशन परत दर्ज हो रही है; पहला नक़्शा अभी दिखेगा।
अभी देखने को कुछ नहीं
एक वाक्य लिखें और एंटर दबाएँ, या उदाहरण लें।
सीखें कि अटेंशन कैसे काम करता है
नीचे: पिछला पाठ
रद्द करें
{word} लिखने के लिए {who} ने {looks} को देखा{needs}।
{word} का अनुमान लगाने के लिए {who} ने {looks} को देखा।
{word} पढ़ते हुए {who} ने {looks} को देखा।
{word} लिखने के लिए {who} ने ज़्यादातर {looks} को देखा{needs}।
{word} का अनुमान लगाने के लिए {who} ने ज़्यादातर {looks} को देखा।
{word} पढ़ते हुए {who} ने ज़्यादातर {looks} को देखा।
 और उसे {needs} की ज़रूरत थी
{change} अंक, भार का {share}
 और 
 और शब्दों में से 
मॉडल
परत {layer} के हेड {head}
यही शब्द क्यों?
भार बताता है कि कहाँ देखा; यह नापता है कि उसके बिना क्या बदलता है
इस संख्या के पीछे का समीकरण
यहाँ दूसरा शब्द लिखें
इसे काटें, या दूसरे शब्द को देखें
“{word}” काटें
इसकी जगह “{word}” को देखें
कौन-सा हेड, {word} के लिए?
कौन-सा हेड? किसी शब्द पर इंगित करें।
परत·हेड, 0 से
दूर की नज़रें पहले
दाईं ओर के शब्द पर क्लिक: उसे देखने वाले हेड
“{word}” नहीं है।
पहले टोकन के बिना (s)
इस ट्रेस में कोई अटेंशन परत नहीं है।
पहले
अब
पहले जैसा
खींचा
वापस लाएँ
छोड़ें
सब वापस लाएँ
मॉडल को चुनने दें
यह {model} में बदला गया था और वहीं रहता है: {parts}.
नीला: देखा गया; नारंगी: ज़रूरी, परतों और हेडों का औसत भार {little} से कम (उसके बिना शब्द {much} से ज़्यादा अंक खोता है)
छिपाया
मूल का हर शब्द कहाँ छिपाया जाए, यह देखने को कि उसके बिना अनुवाद क्या खोता है
हर जगह
क्रॉस-अटेंशन में
एनकोडर में
शब्द उतना गाढ़ा है जितना संभावित
× से शब्द कटता है
छल्ला अपने फ़ीते को दूसरे शब्द तक खींचता है, सभी हेडों और परतों में
शब्द के ऊपर की पट्टी: अनुवाद उस पर कितना निर्भर है
{least} से कम के फ़ीते नहीं बने हैं, {left} ({quantity})
खेलें: आप ही अटेंशन हैं
बिंदीदार: अनिश्चित
{word}: मॉडल को यक़ीन नहीं
“{word}” काटें और उसके बिना अनुवाद करें (x)
“{word}” वापस रखें (x)
खींचें: तब “{word}” केवल वहीं देखता है, सभी हेडों और परतों में
आप ही अटेंशन हैं
अनुवाद का हर शब्द लिखने के लिए मॉडल मूल के शब्दों को देखता है। {ask} हर शब्द को किसी तक खींचें, या दोनों पर टैप करें: तब मॉडल के पास उसके {heads} हेडों की जगह आपकी रेखाएँ होती हैं।
आप कहाँ देखते?
{date} का वाक्य
कोई और
फिर से शुरू
फ़ीतों पर वापस
सब शब्दों की रेखा है; हर एक फिर खींची जा सकती है।
{word} लिखने के लिए कहाँ देखें?
{word} {chance}: वहाँ देखकर वह {other} ({rather}) लिखना पसंद करता
100 में से अंक
आप
उसके अपने {heads} हेड
बराबर नज़रें
बेतरतीब रेखाएँ
वर्ग कॉपी करें
लिंक कॉपी करें
चित्र कॉपी करें
कॉपी हुआ
कोई सही उत्तर नहीं है। अंक वह संभावना है जो मॉडल आपकी रेखाओं के साथ अपने ही शब्दों को देता है: सब टोकनों का गुणोत्तर माध्य, 100 में से। बिना रेखा का शब्द सबको बराबर देखता है; चिह्न और अंत आपके लिए खींचे हुए हैं।
टोकन पर इंगित करें तो उसका पीछा होता है, क्लिक या {l} से वह टिकता है, {esc} से सब छूटते हैं; रेखा पर क्लिक से उसका समीकरण
चरण {step} के उम्मीदवार
एक चुनें, मॉडल वहीं से आगे लिखेगा
चरण 1 के पास देखने को पहले का कोई टोकन न था; बाद का चरण चुनें
थोपा हुआ
एक चुनें, उसके चरण देखने के लिए
“{word}” क्यों?
इनपुट टोकन
हर एक कितने काम का था, कई मापों से
लॉजिट लेंस
परतें यहीं रुकतीं तो क्या लिखा जाता
सीधा लॉजिट श्रेय
हर हेड शब्द के लॉजिट में क्या जोड़ता है
दिखाएँ
पास-पास
अंतर
बंद करें
भार के पीछे की संख्याएँ देखने के लिए नक़्शे के कोष्ठ पर क्लिक करें या तीर कुंजी दबाएँ।
हेडों के माध्य का अपना समीकरण नहीं होता; एक हेड चुनें।
“{word}” देखता है
“{word}” को देखते हैं
बंद करें
यह कड़ी
पाठ उसके बिना फिर लिखा जाता है
सहायता
कुंजियाँ
मॉडल कोई शब्द लिखने या पढ़ने से पहले उन सब शब्दों को तौलता है जिन्हें वह देख सकता है: यही अटेंशन है। यह पेज ऐसा हर भार दिखाता है। अनुवाद में फ़ीता उतना चौड़ा है जितना भार; नक़्शे में हर पंक्ति देखने वाला शब्द है और हर स्तंभ देखा जाने वाला, ज़्यादा हो तो रंग तेज़। भार बताता है कि मॉडल ने कहाँ देखा; {why} नापता है कि उसके बिना क्या बदलता।
फ़ोकस कोष्ठ चलाएँ; शिफ़्ट के साथ दस-दस
पिछला हेड; सीखते समय पिछला पाठ
अगला हेड; सीखते समय अगला पाठ
पिछली परत
अगली परत
पास और दूर करें
पूरा नक़्शा
पहले टोकन के बिना (सिंक)
लंबे पाठ के दो शब्द खोजें; एंटर: पहले
क्वेरी टिकाएँ या छोड़ें
समीकरण खोलें या बंद करें
पॉइंटर या फ़ोकस की कड़ी बंद करें
पॉइंटर या फ़ोकस का मूल शब्द काटें
अनुवाद के शब्द का फ़ीता खींचें: तीर, फिर एंटर या एस्केप
वाक्य पर जाएँ
वाक्य में: उसे देखें
यह सूची
जो खुला है उसे बंद करें
नक़्शे पर: पहिए या चुटकी से पॉइंटर पर बड़ा करें, खींचकर सरकाएँ, दोहरे क्लिक से पास जाएँ, क्लिक से समीकरण खोलें। नोटबुक में पहिया नोटबुक को सरकाता है, जब तक आप क्लिक न करें या ctrl न दबाएँ।
दूरी
वाक्य
शब्द, और रेखाएँ कि वे कहाँ देखते हैं
नक़्शा
हर भार; + और − से पास और दूर
कोष्ठ
एक भार और उसके आसपास के
गुणनफल
भार के पीछे के गुणनफल (e)
समीकरण
शब्द
शब्द कैसे लिखा गया: और क्या हो सकता था, और चरण ने क्या देखा
क्यों
शब्द क्यों लिखा गया: हर टोकन, परत और हेड ने उसके लिए क्या किया
बंद करें (esc)
संख्याएँ आ रही हैं
{word} का अनुमान
इस हेड में यह क्वेरी इस की को नहीं देख सकती (a)
इस परत में इस हेड का आउटपुट शून्य होता है
कोई दूसरी स्थिति इस की को नहीं देख सकती, किसी परत या हेड में
यह देखने के लिए कि चरण {step}{word} में क्या बदलता है
यह देखने के लिए कि कौन-सा चरण सबसे ज़्यादा बदलता है
यह देखने के लिए कि लेबल में क्या बदलता है
यह देखने के लिए कि आउटपुट में क्या बदलता है
आउटपुट ख़ुद regard studio में और regard export page की फ़ाइल में फिर लिखा जाता है
लेबल
आउटपुट का चरण {step}
जैसा था
जो सबसे ज़्यादा बदलता है
पहले और बाद की प्रायिकता
भार, क़दम-दर-क़दम
{count} अन्य
गुणक
बायस
सीमा
नरमी से सीमित
देख सकता है: वही
नहीं देख सकता: −∞
लॉग-योग-घातांक: पंक्ति का log Σ exp(स्कोर), ताकि उसके भारों का योग 1 हो
नॉर्म ‖α·f(x)‖ अज्ञात है: इस परत का आउटपुट प्रोजेक्शन दर्ज नहीं हुआ।
टाँकें
यह नक़्शा अगले के पास बना रहता है: दूसरे हेड, परत, पाठ या मॉडल का
तुलना
मौजूदा नक़्शे में से टाँका हुआ घटाकर
दोनों एक ही नक़्शे हैं; दूसरा हेड, परत, पाठ या मॉडल चुनें, तो पहला वही होगा
दोनों में अंतर: {parts}
उनकी तुलना स्थिति-दर-स्थिति होती है, क्योंकि उनके टोकन अलग हैं
दोनों के लिए एक रंग-पैमाना
हर एक का अपना रंग-पैमाना
इन नक़्शों में {one} और {other} कोष्ठ हैं, जो एक-दूसरे के नहीं हैं; अंतर देखने के लिए उतने ही टोकनों का पाठ, या उसी पाठ का दूसरा हेड या परत चुनें
मॉडल
पाठ
पूरा पाठ
टोकन: {name}
{count} पहले …
… {count} और
रेखाएँ
रेखाएँ: सभी {count}
और रेखाएँ: {count}, {share} ({quantity})
दिख रही क्वेरियों से
अनुवाद
आउटपुट
इनपुट
आउटपुट चरण पर पढ़ा, जो शब्द का अनुमान लगाता है
इनपुट चरण पर पढ़ा, जो शब्द पढ़ता है
जिस शब्द के बारे में पूछना है
चरण {step}
{count} में से चरण {first} से {last}
देखा गया: {where}
यहाँ यह शब्द लिखें और इसी से आगे बढ़ें
चुना गया
बीम की परिकल्पनाएँ: {count}
यहाँ केवल चुनी हुई दिखाई जा सकती है
परिकल्पना {number}: {text}, स्कोर {score}
बिना स्कोर
दिख रही
कटी हुई
यही शब्द क्यों
टोकन:
अब तक का आउटपुट
की तुलना में
कोई दूसरा शब्द नहीं
गणना: {what}
{without} के बिना {word} की संभावना {points} प्रतिशत अंक कम होती।
इनमें से किसी एक टोकन के बिना {word} की संभावना एक प्रतिशत अंक भी कम न होती।
माप के अनुसार टोकन
परतें और हेड
फ़ीड-फ़ॉरवर्ड
इस हेड का नक़्शा खोलें
एम्बेडिंग {embedding}, बायस {bias}; {word} का लॉजिट {logit}
एम्बेडिंग {embedding}, बायस {bias}; {against} पर {word} {logit}
पदों का योग लॉजिट है; रास्ते का हर नॉर्म वही पैमाना रखता है जो इस बार था
एम्बेडिंग
परत {layer} के बाद
{share}, स्थान {rank}
ग्रेडिएंट × इनपुट
वैल्यू शून्य
अटेंशन भार, परतों और हेडों का माध्य
सब हेड टोकन से जो लेते हैं उसकी लंबाई, परतों का माध्य
शब्द की लॉग-प्रायिकता के ग्रेडिएंट और टोकन के एम्बेडिंग के गुणन की लंबाई
टोकन की वैल्यू शून्य करने पर परत का आउटपुट कितना घूमता है (कोसाइन दूरी), परतों का माध्य
जब कोई दूसरी स्थिति टोकन को न देखे तब शब्द की प्रायिकता में अंतर
ρ: कोई माप और |Δp| इन टोकनों को कितने मिलते क्रम में रखते हैं (स्पीयरमैन सहसंबंध): 1 वही क्रम, 0 कोई मेल नहीं
{kind}-अटेंशन, {side} परत {layer}
सेल्फ़
क्रॉस
एनकोडर
डिकोडर
{tap}, {heads} का {quantity}
हेडों का माध्य
हेड {heads}
मूल
आउटपुट
टुकड़े
टोकन
नॉर्म
राशि
भार α: सॉफ़्टमैक्स का आउटपुट
भार जितना वेक्टर जाने देता है उसकी लंबाई ‖α·f(x)‖
स्कोर, सॉफ़्टमैक्स से पहले
पैमाना
स्वतः
रैखिक
लॉग
हर पंक्ति का
इकाई
टोकन
शब्द
वाक्य
खंड
सबसे बड़ा
माध्य
इस नक़्शे में कोष्ठ नहीं हैं: पाठ ख़ाली है।
नक़्शा: {quantity}, {title}: क्वेरी {rows}, कीज़ {columns}, इकाई {units}
अटेंशन का नक़्शा
क्वेरी {queries} → कीज़ {keys}
मास्क: नहीं देख सकता
मास्क: इनमें से कोई क्वेरी नहीं देख सकती
अधिकतमों के बीच
माध्यों के बीच
अब तक हर {every} पंक्तियों पर
रंग-पैमाने का ऊपरी सिरा
रंग-पैमाने का निचला सिरा
सिरे लौटाएँ
{size} × {size} के खंड: {what} अंतर
{size} × {size} कोष्ठों का {what}
झलक: अब तक हर {every} पंक्तियों पर
अंतर रैखिक पैमाने पर दिखते हैं
लॉग पैमाना छोटे भार भी दिखाता है
स्कोर पहले से लघुगणक हैं: रैखिक पैमाना
लॉग पैमाना
रंग हर पंक्ति के सबसे बड़े दिख रहे मान के सापेक्ष हैं
हर पंक्ति अपने सबसे बड़े के सापेक्ष
दिख रहे 0.5 % कोष्ठ ऊपरी सिरे से ऊपर हैं
वर्गमूल से
घनमूल से
चौथे मूल से
{key} (भार का {share})
पैमाना सिंक को छोड़ता है, की {keys}
{tokens} के बिना (किसी समूह में नहीं)
पिछला टोकन
अगला टोकन
वही टोकन
पहला टोकन
विभाजक
विराम चिह्न
इंडक्शन
संरेखण
कोई सरल ढर्रा नहीं
{name}: भार का {share}, संयोग से {chance}
दिखाया जाने वाला अटेंशन
अटेंशन
एनकोडर सेल्फ़
डिकोडर सेल्फ़
क्रॉस
{of} में से {count} पंक्तियाँ
{of} में से {count} हेड ज़्यादातर {token} को देखते हैं
पर ज़्यादातर {token}
शिफ़्ट और क्लिक: औरों के साथ, रेखाओं के रूप में
एंट्रॉपी {entropy} बिट
औसत दूरी {distance} टोकन
लेबल
चित्र
चित्र चुनें या यहाँ छोड़ें
किसी टुकड़े पर इंगित करें: वह जिसे जितना देखता है, उतना रंग। क्लिक उसे थामे रखता है।
{word} के बिना
{count} वाक्यों में से अर्थ में सबसे पास:
सबसे पास के वाक्य
वेक्टरों के कोसाइन, {count} रोज़मर्रा के वाक्यों के साथ
पंक्तियों के योग 1 से {sums} के भीतर · पूरे सॉफ़्टमैक्स से अधिकतम {most} · {rows} पंक्तियाँ जाँचीं · {dtype}
{rows} पंक्तियों पर नापा, float64 में पूरे सॉफ़्टमैक्स से तुलना
{where}, कुछ नहीं जोड़ता
क्वेरी {query} की {key} को नहीं देखती
कोई दूसरी स्थिति इसे नहीं देखती, किसी परत और हेड में
“{query}” केवल “{key}” को देखता है: {where}
सब हेडों और परतों में
क्या बदला
बंद किया हुआ
दराज़ का चित्र, {kind}
“शब्द” में: मॉडल वहीं से आगे लिखता है।
पास आएँ:
वही भार नक़्शे, कोष्ठ और उसके गुणनफलों के रूप में।
सर्वर जवाब नहीं दे रहा। देखें कि {command} चल रहा है; पेज अपने-आप फिर जुड़ जाता है।
यहाँ कोई मॉडल खुला नहीं है। टर्मिनल में चलाएँ: regard studio FOLDER; सहेजे ट्रेस के लिए: regard look FILE.
मॉडल और पाठ
{model} यहाँ नहीं चल सकता; सूची से मॉडल चुनें।
वाक्य
पाठ का कौन-सा वाक्य देखना है
बीम
हर चरण पर खोज में रखी परिकल्पनाएँ
नए टोकन
मॉडल कितने टोकन जोड़ता है; 0 केवल पढ़ता है
तापमान
टोकन निकालता है; 1 से कम पर संभावित वाले ज़्यादा
top-k (शीर्ष k)
इतने सबसे संभावित टोकनों में से निकालता है
top-p (शीर्ष p)
इतनी प्रायिकता वाले सबसे संभावित टोकनों में से निकालता है
बीज
टोकन निकालता है; वही बीज वही टोकन देता है
यह पेज फ़ाइलें नहीं खोलता; चलाएँ: regard look {file}
सहेजा ट्रेस .safetensors पर ख़त्म होता है; यह {file} है। \`trace.save\` और \`regard look --save\` उसे लिखते हैं।
मॉडल चल रहा है
दूसरे पाठ की प्रतीक्षा
{stage}, अधिकतम {most} में से टोकन {token}
लिख रहा है
अटेंशन दर्ज हो रहा है
मॉडल आ रहा है
पाठ पढ़ा जा रहा है
भार जाँचे जा रहे हैं
नक़्शे तैयार परिकल्पना पर एक बार चलने के हैं
फ़ाइल से आया: मॉडल के बिना कुछ बंद नहीं किया जा सकता
भार वैसे ही हैं जैसे मॉडल ने दिए, फिर से नहीं निकाले
इसका आउटपुट प्रोजेक्शन अज्ञात है, इसलिए ‖α·f(x)‖ भी
मॉडल वेक्टर देता है, शब्दों या लेबलों के स्कोर (लॉजिट) नहीं, इसलिए कुछ बंद नहीं किया जा सकता
थोपा हुआ: आउटपुट “{text}” से शुरू होता है
काटा हुआ: कोई दूसरी स्थिति {words} को नहीं देखती
बंद: {query} से {key}, {tap} के हेड {head} में
बंद: {tap} का हेड {head}
खींचा हुआ: {query} केवल {key} को देखता है, {where} में
{tap}, हेड {head}: “{query}” अब “{key}” को नहीं देखता
{tap}: हेड {head} कुछ नहीं जोड़ता
कोई दूसरी स्थिति “{word}” को नहीं देखती, किसी परत और हेड में
देखने को कोई पाठ नहीं; एक वाक्य दें।
{model} के साथ पाठ में {most} टोकन हो सकते हैं; इसमें {count} हैं। उसका एक भाग देखें।
{text} उस भाषा में नहीं है जो {model} पढ़ता है। उस भाषा का पाठ दें, या दूसरा मॉडल चुनें।
लगता है कि पाठ उस भाषा में नहीं है जो {model} पढ़ता है; अनुवाद अनुमान हो सकता है
देखने को कोई पाठ नहीं; एक वाक्य लिखें।
{text} में अनुवाद के लिए कुछ नहीं: वह वैसा ही रहता है।
{model} यह पाठ नहीं पढ़ सकता: उसकी शब्दावली में {text} के {share}% अक्षर नहीं हैं। उसकी भाषा का पाठ दें, या दूसरा मॉडल चुनें।
वाक्य 1 से {most} तक का हो, पाठ में इतने ही हैं; यह {number} है।
{model} के साथ शुरुआत में {most} टोकन हो सकते हैं, ताकि कुछ आगे आ सके; इसमें {count} हैं। उसे छोटा करें।
आउटपुट {most} टोकनों से शुरू हो सकता है; ये {count} हैं।
खोज को परिकल्पनाएँ 0 से {most} मिलीं; यह {number} है।
खोज को कोई पाठ नहीं मिला: किसी चरण पर हर टोकन वर्जित था।
लक्ष्य ख़ाली है; एक वाक्य दें, या लक्ष्य छोड़ दें।
इस पाठ के बाद {model} के साथ लक्ष्य में 1 से {most} टोकन हो सकते हैं; इसमें {count} हैं।
लक्ष्य हो तो निकालने को कुछ नहीं; या लक्ष्य छोड़ें, या तापमान, top-k, top-p और बीज।
टोकन निकाले जाते हैं या खोजे जाते हैं, दोनों नहीं; या {beams} बीम छोड़ें, या तापमान, top-k, top-p और बीज।
तापमान 0 से बड़ी संख्या हो; यह {number} है।
top-k 0 या उससे बड़ी पूर्ण संख्या हो (0: हर टोकन); यह {number} है।
top-p 0 से ज़्यादा और अधिकतम 1 हो; यह {number} है।
बीज 0 या उससे बड़ी पूर्ण संख्या हो; यह {number} है।
{axis} की स्थिति {key} कटी हुई है, इसलिए उसे कोई नहीं देख सकता; उसे वापस लाएँ, या दूसरी को देखें।
{tap} बाद की स्थिति नहीं देखता; यह नज़र {query} से {key} की है।
समझाने को कुछ नहीं: वाक्य में कोई शब्द नहीं; एक दें।
पाठ में अधिकतम {most} शब्द दिखते हैं; इसमें {count} हैं: उसे छोटा करें।
व्याख्या में अधिकतम {most} टोकन दिखते हैं; ये {count} हैं: वाक्य छोटा करें।
इस फ़ाइल में शब्दों के वेक्टर नहीं हैं; पेज फिर निर्यात करें।
यह पाठ अनुवादक के भीतर देखता है, और इस फ़ाइल में कोई नहीं; पेज को एक के साथ निर्यात करें, जैसे en-de.
{model} में लिखे जाने वाले पाठ के लॉजिट वाली परतें नहीं हैं; लिखने वाला मॉडल चुनें।
{model} अपनी परतों के बाद नॉर्म लेता है, इसलिए यहाँ उनके जुड़ने वाले पद नहीं हैं; \`{command}\` चलाएँ।
यह ब्राउज़र पेज को अपना वर्कर चलाने नहीं देता; उसे नए क्रोमियम या फ़ायरफ़ॉक्स में खोलें।
इस ब्राउज़र में WebAssembly का SIMD या उसके अपवाद नहीं हैं; पेज को नए क्रोमियम या फ़ायरफ़ॉक्स में खोलें।
इस ब्राउज़र में मॉडल के लिए मेमोरी नहीं बची; दूसरे टैब बंद करके पेज फिर खोलें।
इस पेज के इंजन का इंटरफ़ेस {wanted} होना चाहिए, पर {version} है; पेज फिर से सहेजें।
मॉडल इस पेज में नहीं चल सकता: {why}।
ब्राउज़र यह चित्र नहीं पढ़ सकता; दूसरा चुनें।
यह फ़ाइल कटी हुई है, इसलिए इसका कोई मॉडल अधूरा है; उसे फिर लें।
इस फ़ाइल में {models} हैं; {model} के लिए \`{command}\` चलाएँ।
यह पाठ अब यहाँ खुला नहीं है; उसे फिर देखें।
आउटपुट किस पर निर्भर है, यह अनुवाद या लेबल के लिए ज्ञात है।
{what} इस पेज में नहीं बनता; देखने के लिए \`regard look\` चलाएँ।
Python (numpy के Philox) की यादृच्छिक संख्याओं से निकालता है, PyTorch की नहीं; फिर भी पाठ अलग हो सकता है, क्योंकि भार int8 में गोल किए गए हैं।`].map(e=>e.split(`
`)),Mt=Object.fromEntries(At.map((e,t)=>[e,jt.map(e=>e[t])])),[Nt,...Pt]=[`lesson.words.title
lesson.words.1
lesson.words.2
lesson.average.title
lesson.average.1
lesson.average.2
lesson.alike.title
lesson.alike.1
lesson.alike.2
lesson.softmax.title
lesson.softmax.1
lesson.softmax.2
lesson.scale.title
lesson.scale.1
lesson.scale.2
lesson.qkv.title
lesson.qkv.1
lesson.qkv.2
lesson.heads.title
lesson.heads.1
lesson.heads.2
lesson.order.title
lesson.order.1
lesson.order.2
lesson.masks.title
lesson.masks.1
lesson.masks.2
lesson.similarity.title
lesson.similarity.1
lesson.similarity.2
lesson.block.title
lesson.block.1
lesson.block.2
lesson.layers.title
lesson.layers.1
lesson.layers.2
lesson.cross.title
lesson.cross.1
lesson.cross.2
lesson.next.title
lesson.next.1
lesson.next.2
lesson.training.title
lesson.training.1
lesson.training.2
lesson.yours.title
lesson.yours.1
lesson.yours.2`,`Words become vectors
A network computes with numbers, so each word is looked up in a table and becomes a row of numbers: its vector. The rows were learned from the company that words keep.
A row is also an arrow. Words that are used in similar ways point in similar directions; with few dimensions, other words do too.
Average everything
A word's vector is the same in every sentence. The simplest way to bring in the sentence is to mix all its words, this one included, each with the same weight.
But then every word gets the same mixture. Choose another word: nothing changes.
Look at what is similar
Give more weight to the words that matter to this one. The dot product says how similar two words are: multiply their rows number by number and add up the products.
Softmax turns the scores into weights that add up to 1. The output is the sum of the vectors, each times its weight. That is attention.
Softmax
Scores can be negative and have any sum; weights must be positive and add up to 1. Softmax takes two steps: it raises e to each score, and divides each result by their sum.
At temperature 1, one more point of score means e ≈ 2.72 times the weight. The temperature divides the scores first: below 1 the winner takes more, above 1 the weights even out.
Why divide by √d
A dot product of d numbers is a sum of d terms, so with more dimensions the scores spread further apart, until softmax gives nearly everything to one or two words. Dividing by √d holds that growth back.
Choose other dimensions and compare the two columns of weights.
Query, key and value
A word plays three parts: it looks for something (query), it can be found (key), and it has something to pass on (value). Three matrices turn its one vector into three. With “trained” they are a translator's, whose head 2 in layer 3 mostly looks for the word before.
The first picture shows the query among the keys. The second shows each value, scaled by its weight and laid tip to tail: together they end at the output.
Several heads
One row of weights can say only one thing. So several heads look at the same time, each with a few dimensions of its own. No one programmed what a trained head looks at.
Their outputs are joined side by side. The frame marks the row of the word in the spotlight; the bars show its numbers.
Order
So far the order of the words has not mattered. Swap two words: each word still gets exactly what it got before.
Turn positions on. A pattern of waves, different at every position, is added to the vectors, and now the order counts.
Masks
A mask decides which word may look at which. A hidden score becomes −∞ before softmax, so its weight is exactly 0, and the other words share the weight it would have had.
The causal mask hides the future, as it must be when a text is written word by word. A window hides what is far away.
Other similarities
The dot product is a choice. Any measure of similarity can take its place, and nothing else changes.
The cosine ignores length and compares only directions. The Gaussian prefers vectors that are close. The average ignores both.
A layer: add, normalize, think
A layer never replaces a word's vector. What attention finds is added to it (the residual connection), then what a feed-forward network makes of it. Before each, a layer norm brings the numbers to mean 0 and deviation 1, then scales and shifts them.
The feed-forward network looks at one word alone: it widens the vector, sets negative numbers to 0, and narrows it again. For any one word, most of its inner units are 0.
Layer upon layer
The next layer does the same with the vectors that this one gives. Layer by layer a word's vector moves away from where it began and takes in its sentence.
Each column is one depth of the trained encoder. A cell says how similar the word's vector is to another word's there, as a cosine; the first row says how similar it still is to its own beginning.
The encoder meets the decoder
A translator has two stacks. The encoder reads the whole sentence at once. The decoder writes word by word and sees only what it has written.
In cross-attention they meet: the query comes from the decoder, keys and values come from the encoder. Choose a word to be written and see which words of your sentence the decoder looks at to write it.
The next word
The decoder's last vector is compared with the vector of every token in the vocabulary. That gives each a score, and softmax turns the scores into probabilities.
Now one token is chosen: the likeliest, one drawn by chance, or, as for the marked one, by a search for the best whole translation. The temperature sharpens or flattens the probabilities, top-k keeps the k likeliest, top-p keeps the fewest that reach p together.
Training in one picture
In the beginning all matrices are random. A training step shows examples, measures how unlikely the right answers were (the loss), and moves every number a little in the direction that makes them likelier.
This is a real run: a small Transformer learns to write words backwards. Move through it: the loss falls at first without a pattern in the map, then further as cross-attention finds the diagonal from top right to bottom left.
Your sentence, translated and broken
Everything together: your words become vectors, pass through the layers of the encoder, and the decoder writes the translation, word by word. The ribbons are the weights of cross-attention.
Strike out a word with × and the model translates without it: nothing can look at that word any more. Which words does the translation depend on?`,`Wörter werden Vektoren
Ein Netz rechnet mit Zahlen. Deshalb wird jedes Wort in einer Tabelle nachgeschlagen und zu einer Zeile von Zahlen: seinem Vektor. Gelernt wurden die Zeilen daraus, in welcher Gesellschaft die Wörter vorkommen.
Eine Zeile ist zugleich ein Pfeil. Wörter, die ähnlich gebraucht werden, zeigen in ähnliche Richtungen; bei wenigen Dimensionen tun das auch andere.
Der Mittelwert von allem
Der Vektor eines Wortes ist in jedem Satz derselbe. Am einfachsten kommt der Satz hinein, indem man alle Wörter mischt, auch dieses, jedes mit demselben Gewicht.
Dann aber bekommt jedes Wort dieselbe Mischung. Wählen Sie ein anderes Wort: Es ändert sich nichts.
Auf Ähnliches achten
Wörter, auf die es ankommt, sollen mehr Gewicht bekommen. Wie ähnlich zwei Wörter sind, sagt das Skalarprodukt: Man multipliziert ihre Zeilen Zahl für Zahl und addiert die Produkte.
Softmax macht aus den Bewertungen Gewichte, die zusammen 1 ergeben. Die Ausgabe ist die Summe der Vektoren, jeder mal sein Gewicht. Das ist Attention.
Softmax
Bewertungen können negativ sein und jede Summe haben; Gewichte müssen positiv sein und zusammen 1 ergeben. Softmax braucht zwei Schritte: Es potenziert e mit jeder Bewertung und teilt jedes Ergebnis durch die Summe aller.
Bei Temperatur 1 bedeutet ein Punkt mehr an Bewertung das e ≈ 2,72-Fache an Gewicht. Die Temperatur teilt zuvor die Bewertungen: Unter 1 bekommt das stärkste Wort noch mehr, über 1 gleichen sich die Gewichte an.
Warum durch √d geteilt wird
Ein Skalarprodukt von d Zahlen ist eine Summe von d Gliedern. Mit mehr Dimensionen liegen die Bewertungen weiter auseinander, bis Softmax fast alles einem oder zwei Wörtern gibt. Die Division durch √d bremst dieses Wachstum.
Wählen Sie andere Dimensionen und vergleichen Sie die beiden Spalten mit Gewichten.
Query, Key und Value
Ein Wort spielt drei Rollen: Es sucht etwas (Query), es kann gefunden werden (Key), und es hat etwas weiterzugeben (Value). Drei Matrizen machen aus seinem einen Vektor drei. Trainiert sind es die eines Übersetzers, dessen Kopf 2 in Schicht 3 meistens das vorige Wort sucht.
Das erste Bild zeigt die Query unter den Keys. Das zweite zeigt jeden Value, mit seinem Gewicht multipliziert und Spitze an Fuß gelegt: Zusammen enden sie bei der Ausgabe.
Mehrere Köpfe
Eine Zeile von Gewichten kann nur eines sagen. Deshalb schauen mehrere Köpfe gleichzeitig, jeder mit ein paar eigenen Dimensionen. Niemand hat programmiert, worauf ein trainierter Kopf achtet.
Ihre Ausgaben werden nebeneinandergestellt. Der Rahmen markiert die Zeile des gewählten Wortes; die Balken zeigen ihre Zahlen.
Reihenfolge
Bisher war die Reihenfolge der Wörter gleichgültig. Vertauschen Sie zwei Wörter: Jedes Wort bekommt genau das, was es vorher bekam.
Schalten Sie die Positionen ein. Zu den Vektoren kommt ein Wellenmuster, das an jeder Position anders ist, und nun zählt die Reihenfolge.
Masken
Eine Maske bestimmt, welches Wort welches sehen darf. Eine verdeckte Bewertung wird vor Softmax zu −∞, ihr Gewicht ist also genau 0, und die anderen Wörter teilen sich das Gewicht, das sie gehabt hätte.
Die kausale Maske verdeckt die Zukunft; das muss sie, wenn ein Text Wort für Wort geschrieben wird. Ein Fenster verdeckt, was weit entfernt ist.
Andere Ähnlichkeiten
Das Skalarprodukt ist nur eine Wahl. Jedes Maß für Ähnlichkeit kann an seine Stelle treten, und sonst ändert sich nichts.
Der Kosinus vergleicht nur Richtungen und keine Längen. Die Gauß-Funktion bevorzugt Vektoren, die nahe beieinanderliegen. Dem Mittelwert ist beides gleich.
Eine Schicht: addieren, normieren, verarbeiten
Eine Schicht ersetzt den Vektor eines Wortes nie. Was Attention findet, wird zu ihm addiert (die Residualverbindung), danach das, was ein Feed-Forward-Netz daraus macht. Vor beiden bringt eine Layer-Norm die Zahlen auf Mittelwert 0 und Abweichung 1, dann skaliert und verschiebt sie sie.
Das Feed-Forward-Netz sieht immer nur ein Wort: Es verbreitert den Vektor, setzt negative Zahlen auf 0 und macht ihn wieder schmal. Bei jedem einzelnen Wort sind die meisten seiner inneren Einheiten 0.
Schicht auf Schicht
Die nächste Schicht tut dasselbe mit den Vektoren, die diese liefert. Schicht für Schicht entfernt sich der Vektor eines Wortes von seinem Anfang und nimmt den Satz in sich auf.
Jede Spalte ist eine Tiefe des trainierten Encoders. Eine Zelle sagt, wie ähnlich der Vektor des Wortes dort dem eines anderen ist, als Kosinus; die erste Zeile sagt, wie ähnlich er noch seinem eigenen Anfang ist.
Encoder trifft Decoder
Ein Übersetzer besteht aus zwei Stapeln von Schichten. Der Encoder liest den ganzen Satz auf einmal. Der Decoder schreibt Wort für Wort und sieht nur, was er schon geschrieben hat.
In der Cross-Attention treffen sie sich: Die Query kommt vom Decoder, Keys und Values kommen vom Encoder. Wählen Sie ein Wort, das geschrieben werden soll, und sehen Sie, auf welche Wörter Ihres Satzes der Decoder dabei schaut.
Das nächste Wort
Der letzte Vektor des Decoders wird mit dem Vektor jedes Tokens im Vokabular verglichen. Das gibt jedem eine Bewertung, und Softmax macht daraus Wahrscheinlichkeiten.
Dann wird ein Token gewählt: das wahrscheinlichste, ein zufällig gezogenes oder, wie das markierte, eines aus der Suche nach der besten ganzen Übersetzung. Die Temperatur macht die Wahrscheinlichkeiten schärfer oder flacher, Top-k behält die k wahrscheinlichsten, Top-p die wenigsten, die zusammen p erreichen.
Training in einem Bild
Am Anfang sind alle Matrizen zufällig. Ein Trainingsschritt zeigt Beispiele, misst, wie unwahrscheinlich die richtigen Antworten waren (den Verlust), und verändert jede Zahl ein wenig so, dass sie wahrscheinlicher werden.
Das ist ein echter Lauf: Ein kleiner Transformer lernt, Wörter rückwärts zu schreiben. Gehen Sie ihn durch: Der Verlust fällt zuerst ohne ein Muster auf der Karte, dann weiter, während die Cross-Attention die Diagonale von rechts oben nach links unten findet.
Ihr Satz, übersetzt und gestört
Alles zusammen: Ihre Wörter werden Vektoren und durchlaufen die Schichten des Encoders, und der Decoder schreibt die Übersetzung, Wort für Wort. Die Bänder sind die Gewichte der Cross-Attention.
Streichen Sie mit × ein Wort, und das Modell übersetzt ohne es: Nichts kann dieses Wort mehr sehen. Von welchen Wörtern hängt die Übersetzung ab?`,`शब्द वेक्टर बनते हैं
नेटवर्क संख्याओं से गणना करता है, इसलिए हर शब्द एक तालिका में ढूँढा जाता है और संख्याओं की एक पंक्ति बन जाता है: उसका वेक्टर। ये पंक्तियाँ इस बात से सीखी गई हैं कि कौन-से शब्द किन शब्दों के साथ आते हैं।
हर पंक्ति एक तीर भी है। जिन शब्दों का प्रयोग मिलता-जुलता है, वे मिलती-जुलती दिशाओं में इशारा करते हैं; कम आयामों में दूसरे शब्द भी ऐसा करते हैं।
सबका औसत
शब्द का वेक्टर हर वाक्य में एक ही रहता है। वाक्य को शामिल करने का सबसे सरल तरीका है इस शब्द समेत सभी शब्दों को बराबर भार देकर मिला देना।
लेकिन तब हर शब्द को वही मिश्रण मिलता है। कोई और शब्द चुनिए: कुछ नहीं बदलता।
समान शब्दों को देखना
जो शब्द इस शब्द के लिए महत्त्वपूर्ण हैं, उन्हें ज़्यादा भार दीजिए। दो शब्द कितने समान हैं, यह डॉट गुणनफल बताता है: उनकी पंक्तियों की संख्याओं को क्रम से गुणा कीजिए और गुणनफल जोड़ दीजिए।
सॉफ़्टमैक्स स्कोर को ऐसे भारों में बदलता है जिनका योग 1 होता है। आउटपुट वेक्टरों का योग है, हर वेक्टर अपने भार से गुणा होकर। यही अटेंशन है।
सॉफ़्टमैक्स
स्कोर ऋणात्मक हो सकते हैं और उनका योग कुछ भी हो सकता है; भार धनात्मक होने चाहिए और उनका योग 1 होना चाहिए। सॉफ़्टमैक्स दो कदम लेता है: e पर हर स्कोर की घात लगाता है, फिर हर परिणाम को सबके योग से भाग देता है।
तापमान 1 पर स्कोर एक बढ़े तो भार e ≈ 2.72 गुना होता है। तापमान पहले स्कोर को भाग देता है: 1 से नीचे सबसे बड़े को और ज़्यादा मिलता है, 1 से ऊपर भार बराबर होने लगते हैं।
√d से भाग क्यों
d संख्याओं का डॉट गुणनफल d पदों का योग है, इसलिए आयाम बढ़ने पर स्कोर एक-दूसरे से दूर होते जाते हैं, यहाँ तक कि सॉफ़्टमैक्स लगभग सब कुछ एक-दो शब्दों को दे देता है। √d से भाग देने पर यह बढ़त रुकती है।
आयामों की संख्या बदलिए और भारों के दोनों स्तंभों की तुलना कीजिए।
क्वेरी, की और वैल्यू
शब्द की तीन भूमिकाएँ हैं: वह कुछ खोजता है (क्वेरी), उसे खोजा जा सकता है (की), और उसके पास देने को कुछ है (वैल्यू)। तीन मैट्रिक्स उसके एक वेक्टर से तीन बनाते हैं। “प्रशिक्षित” चुनने पर ये एक अनुवादक के हैं, जिसकी परत 3 में हेड 2 ज़्यादातर पिछले शब्द को खोजता है।
पहला चित्र क्वेरी को कीज़ के बीच दिखाता है। दूसरा हर वैल्यू को उसके भार से गुणा करके एक के सिरे पर दूसरी रखता है: सब मिलकर आउटपुट पर पहुँचती हैं।
कई हेड
भारों की एक पंक्ति एक ही बात कह सकती है। इसलिए कई हेड एक साथ देखते हैं, हर एक अपने कुछ आयामों के साथ। प्रशिक्षित हेड किसे देखे, यह किसी ने प्रोग्राम नहीं किया।
उनके आउटपुट साथ-साथ जोड़ दिए जाते हैं। चौखट चुने हुए शब्द की पंक्ति दिखाती है; पट्टियाँ उसकी संख्याएँ दिखाती हैं।
क्रम
अब तक शब्दों के क्रम का कोई महत्त्व नहीं था। दो शब्दों की अदला-बदली कीजिए: हर शब्द को ठीक वही मिलता है जो पहले मिला था।
स्थितियाँ चालू कीजिए। वेक्टरों में तरंगों का एक पैटर्न जुड़ता है, जो हर स्थिति पर अलग है, और अब क्रम का असर होता है।
मास्क
मास्क तय करता है कि कौन-सा शब्द किसे देख सकता है। छिपा हुआ स्कोर सॉफ़्टमैक्स से पहले −∞ हो जाता है, इसलिए उसका भार ठीक 0 होता है, और उसके हिस्से का भार बाकी शब्दों में बँट जाता है।
कारणात्मक (causal) मास्क भविष्य को छिपाता है; जब पाठ शब्द-दर-शब्द लिखा जाता है तो यह ज़रूरी है। खिड़की दूर की चीज़ें छिपाती है।
समानता के दूसरे माप
डॉट गुणनफल एक विकल्प है। समानता का कोई भी माप उसकी जगह ले सकता है, और बाकी कुछ नहीं बदलता।
कोसाइन लंबाई छोड़कर केवल दिशाओं की तुलना करता है। गाउसीय माप पास के वेक्टरों को पसंद करता है। औसत दोनों की परवाह नहीं करता।
एक परत: जोड़ना, सामान्य करना, सोचना
परत शब्द के वेक्टर को कभी बदलकर नया नहीं रखती। अटेंशन जो खोजता है, वह उसमें जोड़ा जाता है (रेज़िडुअल कनेक्शन), फिर फ़ीड-फ़ॉरवर्ड नेटवर्क का परिणाम। दोनों से पहले लेयर नॉर्म संख्याओं का माध्य 0 और विचलन 1 करता है, फिर उन्हें स्केल करके खिसकाता है।
फ़ीड-फ़ॉरवर्ड नेटवर्क एक बार में एक ही शब्द देखता है: वेक्टर को चौड़ा करता है, ऋणात्मक संख्याओं को 0 करता है और फिर सँकरा कर देता है। किसी भी एक शब्द के लिए उसकी ज़्यादातर भीतरी इकाइयाँ 0 होती हैं।
परत पर परत
अगली परत वही काम उन वेक्टरों के साथ करती है जो यह परत देती है। परत-दर-परत शब्द का वेक्टर अपनी शुरुआत से दूर होता है और अपने वाक्य को समेटता है।
हर स्तंभ प्रशिक्षित एनकोडर की एक गहराई है। खाना बताता है कि वहाँ शब्द का वेक्टर दूसरे शब्द के वेक्टर से कितना मिलता है (कोसाइन); पहली पंक्ति बताती है कि वह अपनी शुरुआत से अब भी कितना मिलता है।
एनकोडर और डिकोडर का मिलन
अनुवादक में परतों के दो समूह होते हैं। एनकोडर पूरा वाक्य एक साथ पढ़ता है। डिकोडर शब्द-दर-शब्द लिखता है और केवल अपना लिखा हुआ देखता है।
क्रॉस-अटेंशन में वे मिलते हैं: क्वेरी डिकोडर से आती है, कीज़ और वैल्यूज़ एनकोडर से। लिखा जाने वाला कोई शब्द चुनिए और देखिए कि उसे लिखते समय डिकोडर आपके वाक्य के किन शब्दों को देखता है।
अगला शब्द
डिकोडर के अंतिम वेक्टर की तुलना शब्दावली के हर टोकन के वेक्टर से होती है। इससे हर एक को स्कोर मिलता है, और सॉफ़्टमैक्स स्कोर को प्रायिकताओं में बदलता है।
फिर एक टोकन चुना जाता है: सबसे संभावित, संयोग से निकाला गया, या चिह्नित टोकन की तरह, सबसे अच्छे पूरे अनुवाद की खोज से मिला हुआ। तापमान प्रायिकताओं को तीखा या समतल करता है, top-k सबसे संभावित k रखता है, top-p उतने कम टोकन रखता है जो मिलकर p तक पहुँचें।
एक चित्र में प्रशिक्षण
शुरुआत में सारे मैट्रिक्स यादृच्छिक होते हैं। प्रशिक्षण का हर कदम उदाहरण दिखाता है, मापता है कि सही उत्तर कितने असंभावित थे (लॉस), और हर संख्या को ज़रा-सा उस ओर बदलता है जिससे वे ज़्यादा संभावित हों।
यह सचमुच का प्रशिक्षण है: एक छोटा ट्रांसफ़ॉर्मर शब्दों को उल्टा लिखना सीखता है। इसे चलाकर देखिए: पहले नक्शे में किसी पैटर्न के बिना लॉस गिरता है, फिर जैसे-जैसे क्रॉस-अटेंशन ऊपर दाएँ से नीचे बाएँ तक का विकर्ण खोजता है, और गिरता है।
आपका वाक्य, अनूदित और बिगाड़ा हुआ
सब एक साथ: आपके शब्द वेक्टर बनते हैं, एनकोडर की परतों से गुज़रते हैं, और डिकोडर शब्द-दर-शब्द अनुवाद लिखता है। पट्टियाँ क्रॉस-अटेंशन के भार हैं।
× से कोई शब्द काटिए और मॉडल उसके बिना अनुवाद करता है: उस शब्द को अब कुछ भी नहीं देख सकता। अनुवाद किन शब्दों पर निर्भर है?`].map(e=>e.split(`
`)),Ft=Object.fromEntries(Nt.map((e,t)=>[e,Pt.map(e=>e[t])])),It={...Mt,...Ft},Lt=[[`en`,`English`],[`de`,`Deutsch`],[`hi`,`हिन्दी`]],Rt=e=>Object.fromEntries(Object.entries(It).map(([t,n])=>[t,n[e]])),zt={en:Rt(0),de:Rt(1),hi:Rt(2)};function Bt(e){return Object.assign((t,n={})=>zt[e][t].replace(/\{(\w+)\}/g,(e,t)=>String(n[t]??e)),{knows:e=>e in zt.en})}function U(e,t){return e.split(/\{(\w+)\}/).map((e,n)=>n%2?t[e]:e)}var Vt=fe(Bt(`en`));function W(){return Ae(Vt)}var Ht={blues:[13953784,11196145,8568812,5941479,4230623,2519766,1857475,1522865,1320846,1118830],blue:[13625341,10407930,7844337,5543400,3635672,1662151],orange:[16113864,15450513,14393186,13401907,11756573,10111232]},Ut={blues:[2567749,3423846,3887500,4285618,4226510,4036329,5157363,6278140,9495294,12318975],blue:[2176843,2314614,3370150,4556246,7316203,10010623],orange:[4207138,6833429,9591321,12283934,14453321,16754029]};function Wt(e){return $t(e,Qt(e).blues)}function Gt(e){let{blue:t,orange:n}=Qt(e),r=new Uint32Array(256);return r.set($t(e,n,128).reverse()),r.set($t(e,t,128),128),r}var Kt=[[0,0,0],[255,255,255]];function qt(e){return Uint8Array.from(e,e=>{let t=Xt(e);return+(Zt(t,Kt[1])>Zt(t,Kt[0]))})}function Jt(e,t=0,n=1,r=24){let i=[];for(let a=0;a<=r;a++){let o=(100*(t+a/r*(n-t))).toFixed(2);i.push(`${Yt(Xt(e[Math.round(a/r*(e.length-1))]))} ${o}%`)}return`linear-gradient(to right, ${i.join(`, `)})`}function Yt([e,t,n]){return`rgb(${e} ${t} ${n})`}function Xt(e){return[e&255,e>>>8&255,e>>>16&255]}function Zt(e,t){let[n,r]=[tn(e),tn(t)].sort((e,t)=>e-t);return(r+.05)/(n+.05)}var Qt=e=>tn(e)<.125?Ut:Ht;function $t(e,t,n=256){let r=[e,...t.map(e=>[e>>>16,e>>>8&255,e&255])];return Uint32Array.from({length:n},(e,i)=>{let a=i/(n-1)*t.length,o=Math.min(Math.floor(a),t.length-1),[s,c]=[r[o],r[o+1]];return nn(s.map((e,t)=>Math.round(e+(a-o)*(c[t]-e))))})}function en(e){let t=e/255;return t<=.04045?t/12.92:((t+.055)/1.055)**2.4}function tn(e){let[t,n,r]=e.map(en);return .2126*t+.7152*n+.0722*r}function nn([e,t,n]){return(255<<24|n<<16|t<<8|e)>>>0}function G(e){if(Number.isNaN(e))return``;if(e===0)return`0`;if(!Number.isFinite(e))return e>0?`∞`:`−∞`;let t=Math.abs(e);return(t<.001||t>=1e4?e.toExponential(2):e.toPrecision(3)).replace(`e+`,`e`).replaceAll(`-`,`−`)}function rn(e,t){return t===`score`?an(e):t===`norm`?Math.abs(e)<.01?``:an(e):Math.abs(e)<.01?``:e.toFixed(2).replace(`-`,`−`)}function an(e){let t=Math.abs(e);return t<9995?e.toFixed(t<9.995?2:+(t<99.95)).replace(`-`,`−`):G(Number(e.toPrecision(1))).replace(`.00`,``)}function on(e){if(!Number.isFinite(e))return G(e);for(let t=1;t<9;t++){let n=e.toPrecision(t);if(Math.fround(Number(n))===e)return ln(n)}return ln(e.toPrecision(9))}function sn(e){if(e===0)return`0`;let t=Math.abs(e);return(t<.001||t>=1e4?e.toExponential(1):String(Number(e.toPrecision(3)))).replace(`.0e`,`e`).replace(`e+`,`e`).replaceAll(`-`,`−`)}function cn(e){return e.toLocaleString(`en`)}function ln(e){let t=Number(e);return Math.abs(t)>=1e-6||t===0?t.toString():e}function un(e,{kind:t,side:n,layer:r}){return e(`tap`,{kind:e(`tap.${t}`),side:e(`tap.${n}`),layer:r})}function dn(e,t){return t===`mean`?e(`head.mean`):e(`head.n`,{head:t})}function fn(e,t){return e.knows(`axis.${t}`)?e(`axis.${t}`):t}function pn(e,t,n,r){let i=r.filter(e=>e!==`mean`).sort((e,t)=>e-t),a=i.length>1?[e(`heads.n`,{heads:i.join(`, `)})]:i.map(t=>dn(e,t));return r.includes(`mean`)&&a.push(dn(e,`mean`)),e(`caption`,{quantity:e(t),tap:un(e,n),heads:a.join(e(`said.and`))})}function K(e){let t=e*100;return Number.isFinite(t)?t>0&&t<.1?`< 0.1 %`:`${t>=9.95||t===0?t.toFixed(0):t.toFixed(1)}\u202f%`:`–`}function mn(e,t){return t===`weight`?K(e):e===0?`0`:Math.abs(e)<.001?e.toExponential(1):String(Number(e.toPrecision(3)))}function hn({say:e,quantity:t,difference:n}){return`${n?`Δ `:``}${e(t)}`}function gn(e,t,n){let r=2**t.level;if(r>1)return e(`map.block`,{queries:vn(t.row,r,n.queries),keys:vn(t.column,r,n.keys)});let[i,a]=[n.queries.predicts(t.row),`${t.column} ${yn(n.keys.label(t.column))}`];return`${`${e(`query`)} ${t.row} ${yn(n.queries.label(t.row))}`}${i===null?``:` (${e(`drawer.predicts`,{word:yn(i)})})`} → ${e(`key`)} ${a}`}function _n(e,t){let{value:n,level:r,every:i}=e,{say:a,reduce:o,difference:s}=t;if(n===null)return`…`;if(Number.isNaN(n))return a(r?`map.masked.block`:`map.masked`);let c=`${hn(t)} ${on(n)}`;return r===0?c:`${s?`${a(`map.between.${o}`)}, `:`${a(`reduce.${o}`)} `}${c}${i>1?`, ${a(`map.every`,{every:i})}`:``}`}function vn(e,t,n){let r=Math.floor(e/t)*t;return`${cn(r)}–${cn(Math.min(r+t,n.length)-1)}`}function yn(e){return`“${e}”`}var bn=()=>({low:1/0,high:-1/0});function xn(e,t){let{low:n,high:r}=e;for(let e of t)e<n&&e>-1/0&&(n=e),e>r&&e<1/0&&(r=e);Object.assign(e,{low:n,high:r})}function Sn(e,t,n,r,i,a=null){let o=r.high>=r.low;if(n){let e=o&&Math.max(Math.abs(r.low),Math.abs(r.high))||1;return{kind:`linear`,low:-e,high:e,diverging:!0}}if(e===`auto`&&t!==`score`&&a){let{perRow:e,high:t,root:n}=a;return{kind:e?`row`:`linear`,low:0,high:t,diverging:!1,...n>1&&{root:n}}}if(e===`row`)return{kind:`row`,low:0,high:1,diverging:!1};if(t===`score`){let[e,t]=o?[r.low,r.high]:[-1,1];return{kind:`linear`,low:e,high:t>e?t:e+1,diverging:!1}}if(e===`linear`&&t===`weight`)return{kind:`linear`,low:0,high:1,diverging:!1};let s=o&&r.high>0?r.high:1;return e===`log`?{kind:`log`,low:Math.min(s/1e3,(t===`weight`?.1:.1*s)/i),high:s,diverging:!1}:{kind:`linear`,low:0,high:s,diverging:!1}}function Cn(e,t){return!t||!(t[1]>t[0])||e.kind===`log`&&t[0]<=0?e:{...e,low:t[0],high:t[1]}}function wn(e,t,n=0,r=1){let i;return i=e.kind===`log`?Math.log(t/e.low)/Math.log(e.high/e.low):((e.kind===`row`?(t-n)/(r-n||1):t)-e.low)/(e.high-e.low),i>0?i<1?e.root?i**(1/e.root):i:1:0}function Tn(e,t,n,r,i,a){let o=r.root?kn(i,r.root):i,s=o.length-1;if(r.kind!==`log`)return En(e,t,n,r,o,r.kind===`row`?a:void 0);let c=!1,{root:l,...u}=r;for(let t=0;t<e.length;t++){let r=e[t];r===r?n[t]=o[Math.round(wn(u,r)*s)]:c=!0}return c}function En(e,t,n,r,i,a){let o=i.length-1,s=!1;for(let c=0,l=0;l<e.length;c++){let u=a?.low[c]??0,d=(a?.high[c]??1)-u||1,f=o/(d*(r.high-r.low)),p=u+r.low*d;for(let r=l+t;l<r;l++){let t=e[l],r=(t-p)*f;r>=0?n[l]=i[r<o?r+.5|0:o]:t===t?n[l]=i[0]:s=!0}}return s}var Dn=4096,On=new WeakMap;function kn(e,t){let n=On.get(e)??new Map;On.set(e,n);let r=n.get(t);return r||(r=Uint32Array.from({length:Dn},(n,r)=>e[Math.round((r/4095)**(1/t)*(e.length-1))]),n.set(t,r)),r}function An(e,t){return wn(e.kind===`row`?{...e,kind:`linear`}:e,t)}function jn(e,t){return e.kind===`log`?e.low*(e.high/e.low)**t:e.low+t**(e.root??1)*(e.high-e.low)}function Mn(e,t=6){return e.root&&e.low===0?[{value:0,place:0},...Fn(e,t)]:(e.kind===`log`?In(e.low,e.high,t):Pn(e.low,e.high,t)).map(t=>({value:t,place:An(e,t)}))}function Nn(e){let t=10**Math.floor(Math.log10(e)+1e-9);return([1,2,5,10].find(n=>n*t>=e*(1-1e-9))??10)*t}function Pn(e,t,n){let r=Nn((t-e)/Math.max(1,n-1)),i=Math.ceil(e/r-1e-9),a=Math.floor(t/r+1e-9),o=Math.max(0,-Math.floor(Math.log10(r)));return Array.from({length:a-i+1},(e,t)=>Number(((i+t)*r).toFixed(Math.min(o,100))))}function Fn(e,t){let n=[],r=1;for(let i=Math.floor(Math.log10(e.high)+1e-9);r>1/t&&i>-12;i--)for(let a of[5,2,1]){let o=Number(`${a}e${i}`),s=An(e,o);if(!(o>e.high*(1+1e-9)||n.length&&r-s<1/t)){if(s<1/t)break;n.unshift({value:o,place:s}),r=s}}return n}function In(e,t,n){let r=Math.ceil(Math.log10(e)-1e-9),i=Math.floor(Math.log10(t)+1e-9),a=Math.max(1,Math.ceil((i-r+1)/n)),o=[];for(let e=i;e>=r;e-=a)o.unshift(Number(`1e${e}`));return o}var Ln=Symbol.for(`pv`),Rn=0;Array.isArray;function q(t,n,r,i,a,o){n||={};var s,c,l=n;if(`ref`in l&&typeof t!=`function`)for(c in l={},n)c==`ref`?s=n[c]:l[c]=n[c];var u={type:t,props:l,key:r,ref:s,__k:null,__:null,__b:0,__e:null,__c:null,constructor:Ln,__v:--Rn,__i:-1,__u:0};return(a||o)&&(u.__source=a,u.__self=o),e.vnode&&e.vnode(u),u}var zn=4,Bn=3,Vn=.02;function Hn({state:e,screen:t,difference:n}){let r=W(),i=I(null),a=I(!1),{ends:o}=t,s=n?null:e.home.value,c=t.shown.value;if(!c)return q(`div`,{class:`rg-map__legend rg-note`});let{coloring:l,whole:u}=c,d=hn({say:r,quantity:e.quantity.value,difference:n}),f=[An(u,l.low),An(u,l.high)],p=(e,t)=>{let n=jn(u,Math.min(1,Math.max(0,t))),r=l.diverging?[-Math.abs(n),Math.abs(n)]:e?[l.low,n]:[n,l.high];r[1]>r[0]&&(o.value=r)},m=e=>t=>{let n=i.current?.getBoundingClientRect();a.current&&n&&p(e,(t.clientX-n.left)/n.width)},h=e=>t=>{let n={ArrowLeft:-1,ArrowDown:-1,ArrowRight:1,ArrowUp:1}[t.key];n&&(t.preventDefault(),t.stopPropagation(),p(e,f[e]+n*Vn))},g=e=>q(`div`,{class:`rg-map__end`,style:{left:`${100*f[e]}%`},role:`slider`,tabIndex:0,"aria-label":r(e?`legend.upper`:`legend.lower`),"aria-valuemin":u.low,"aria-valuemax":u.high,"aria-valuenow":e?l.high:l.low,"aria-valuetext":sn(e?l.high:l.low),onPointerDown:e=>{a.current=!0,e.currentTarget.setPointerCapture(e.pointerId)},onPointerMove:m(e),onPointerUp:()=>a.current=!1,onPointerCancel:()=>a.current=!1,onKeyDown:h(e)}),_=[...Un(r,e,c,n,t.axes.keys),...Gn(r,t.axes)].join(` · `);return q(`div`,{class:`rg-map__legend rg-note`,children:[q(`span`,{class:`rg-map__legend-name`,children:d}),q(`div`,{class:`rg-map__scale`,children:[q(`div`,{class:`rg-map__bar`,ref:i,style:{background:Jt(c.ramp,...f)},onDblClick:()=>o.value=null,children:[g(0),g(1)]}),q(`div`,{class:`rg-map__ticks rg-number`,"aria-hidden":`true`,children:Mn(u).map(({value:e,place:t})=>q(`span`,{style:{left:`${100*t}%`},children:sn(e)},e))})]}),o.value&&o.value!==s&&q(`button`,{type:`button`,class:`rg-link`,onClick:()=>o.value=s,children:r(`legend.reset`)}),q(`span`,{class:`rg-map__note`,title:_,children:_})]})}function Un(e,t,n,r,i){let a=[],{level:o,every:s,automatic:c,failure:l}=n,u=t.scale.value,d=cn(2**o);return l&&a.push(l),o>0&&a.push(r?e(`legend.blocks`,{size:d,what:e(`map.between.${t.reduce.value}`)}):e(`legend.cells`,{size:d,what:e(`reduce.${t.reduce.value}`)})),s>1&&a.push(e(`legend.preview`,{every:s})),r?u!==`linear`&&u!==`auto`&&a.push(e(`legend.difference`)):u===`auto`?c&&a.push(...Wn(e,c,n,i)):u===`linear`&&o>=Bn&&t.quantity.value!==`score`?a.push(e(`legend.small`)):u===`log`?a.push(e(t.quantity.value===`score`?`legend.logarithms`:`legend.log`)):u===`row`&&a.push(e(`legend.row`)),a}function Wn(e,{perRow:t,root:n,sinks:r},{level:i,coloring:a,highest:o},s){let c=2**i,l=[...t?[e(`legend.largest`)]:a.high<.99*o?[e(`legend.above`)]:[],...n>1?[e(`legend.root.${n}`)]:[]],u=r.map(({column:t,mass:n})=>c>1?`${cn(t*c)}–${cn((t+1)*c-1)}`:e(`legend.taking`,{key:`${cn(t)} “${s.label(t)}”`,share:K(n)}));return[...l.length?[l.join(`, `)]:[],...u.length?[e(`legend.sinks`,{keys:u.join(e(`said.and`))})]:[]]}function Gn(e,{queries:t,keys:n}){let r=[...new Set([...t.outside,...n.outside])];return r.length?[e(`legend.outside`,{tokens:`${r.slice(0,zn).join(`, `)}${r.length>zn?` …`:``}`})]:[]}var Kn=/^(?:<0x[0-9A-F]{2}>)+$/,qn=new TextEncoder,Jn=/\p{Cc}/gu,Yn=e=>Kn.test(e);function Xn(e){let t=``,[n,r]=[[],[]];for(let i of[...e,``])Yn(i)?(r.push(...(i.match(/(?<=x)../g)??[]).map(e=>parseInt(e,16))),r.every((e,t)=>e===n[t])&&([n,r]=[n.slice(r.length),[]])):(t+=new TextDecoder(`utf-8`,{ignoreBOM:!0}).decode(Uint8Array.from(r)).replace(Jn,`�`)+i,[n,r]=[[...qn.encode([...i].at(-1)??``)].slice(1),[]]);return t}var Zn=({first:e,end:t})=>Array.from({length:t-e},(t,n)=>e+n);function Qn(e,t){return t===`token`?null:t===`word`?e.words:e.sentences}function $n(e,t){let n=Qn(e,t);if(n&&e.peaks)return n.map(([t,n])=>er(e.tokens,t,n,t>=(e.peaks?.length??0)));let r=Y(e.tokens);return rr(n,e.tokens.length).map(t=>new ur(e.tokens,r,t.first,t.end))}function er(e,t,n,r){let i=e[t];return{first:t,end:n,label:r?`${i} …`:i,title:`${i} – ${e[n]??`…`}`,special:r}}function tr(e,t){let n=$n(e,t),{predicts:r}=e;if(t!==`token`||!r)return n;let[i,a]=[Y(e.tokens),Y(r)];return n.map(({first:t,end:n})=>new ur(e.tokens,i,t,n,r[t],a))}function nr(e,t){return e!==void 0&&(t===`token`||Qn(e,t)!==null)}function rr(e,t){let n=[],r=0,i=e=>{for(;r<e;r++)n.push({first:r,end:r+1})};for(let[a,o]of e??[])i(Math.min(a,t)),o<=r||a>=t||(n.push({first:r,end:Math.min(o,t)}),r=Math.min(o,t));return i(t),n}function ir(e,t){let n=0,r=e.length-1;for(;n<=r;){let i=n+r>>1,a=e[i];if(t<a.first)r=i-1;else if(t>=a.end)n=i+1;else return i}return-1}function ar(e){return/^(<(?!0x[0-9A-F]{2}>)[^<>\s]+>|\[[A-Z]+\d*\])$/.test(e)}function J(e,t){if(ar(e))return e;let n=e.replace(/^[▁Ġ]+|^##|<\/w>$/g,``).replace(/[▁Ġ]/g,` `).replace(/[\nĊ]/g,`⏎`).replace(/\t/g,`⇥`);return n.trim()===``?n.includes(`⏎`)?n:`␣`:t!==`letters`&&lr(e,t)&&/^[\p{L}\p{N}\p{M}]/u.test(n)?`-${n}`:n}function or(e,t,n){return J(e[t]??``,t===0&&n===`start`?`none`:n)}function sr(e,t=Y(e)){let n=[];return e.forEach(e=>{let r=ar(e)?e:e.replace(/^##|<\/w>$/g,``).replace(/[▁Ġ]/g,` `).replace(/Ċ/g,`
`),i=t===`none`||t===`hash`?!lr(e,t):ar(e);n.length&&i&&!/\s$/.test(n.at(-1))&&n.push(` `),n.push(r)}),Xn(n).trim()}var cr=4;function Y(e){return e.length>=cr&&e.every(e=>ar(e)||Yn(e)||[...e].length===1)?`letters`:e.some(e=>/^[▁Ġ]/.test(e)||/^ \S/.test(e))?`start`:e.some(e=>e.startsWith(`##`))?`hash`:`none`}function lr(e,t){return Yn(e)?!0:t===`letters`?!ar(e):t===`start`?!/^[▁Ġ\s]/.test(e)&&!ar(e):t===`hash`&&e.startsWith(`##`)}var ur=class{tokens;style;first;end;next;nextStyle;constructor(e,t,n,r,i,a=t){this.tokens=e,this.style=t,this.first=n,this.end=r,this.next=i,this.nextStyle=a}get parts(){return this.tokens.slice(this.first,this.end)}get special(){return this.end-this.first===1&&ar(this.tokens[this.first])}get title(){return this.parts.join(` `)}get label(){let{tokens:e,style:t,first:n,end:r,next:i}=this,a=r-n===1?or(e,n,t):sr(this.parts,t)||`␣`;return i===void 0?a:`${a} → ${J(i,this.nextStyle)}`}};function dr(e,t,n){let r=fr(e.axes[t.queries],t.queries,t.rows,n),i=fr(e.axes[t.keys],t.keys,t.columns,n);return{queries:r,keys:i,shape:{rows:r.length,columns:i.length}}}function fr(e,t,n,r){let i=e?.tokens??[],a=Y(i),o=e&&Qn(e,r)?.map(([e,t])=>({first:e,end:t})),s=e=>o?o[e]??{first:0,end:0}:{first:e,end:e+1},c=mr(t=>{let{first:n,end:r}=s(t);return o?e?.peaks?i[n]:sr(i.slice(n,r),a):i[t]===void 0?String(t):or(i,t,a)});return{axis:t,length:o?.length??n,grouped:o!==void 0,outside:o?pr(o,i.slice(0,n)):[],label:c,predicts:t=>{let{end:n}=s(t),l=e?.predicts?.[n-1];if(l===void 0||o&&r!==`word`)return null;let u=o&&l===i[n]?ir(o,n):-1;return u<0?J(l,a):c(u)},token:e=>s(e).first,of:e=>o?ir(o,e):e>=0&&e<n?e:-1}}function pr(e,t){return[...new Set(t.filter((t,n)=>ir(e,n)<0))]}function mr(e){let t=new Map;return n=>{let r=t.get(n);return r===void 0&&(r=e(n),t.set(n,r)),r}}var hr=64,gr=112;function _r(e,t){let n=Math.min(t.width/e.columns,t.height/e.rows);return Math.max(Math.min(n,hr),1e-6)}function vr(e,t,n){if(!e||!(e.columns>0))return{row:0,column:0,cell:_r(t,n)};let r=n.width/e.columns;return br({row:e.row,column:e.column,cell:r},t,n)}function yr(e,t,n){return e.cell<=_r(t,n)*(1+1e-6)?null:{row:e.row,column:e.column,columns:n.width/e.cell}}function br(e,t,n){let r=_r(t,n),i=Math.min(Math.max(e.cell,r),Math.max(gr,r)),a=(e,t,n)=>{let a=Math.min(n,t*r);return Math.max(0,Math.min(e,t-a/i))};return{row:a(e.row,t.rows,n.height),column:a(e.column,t.columns,n.width),cell:i}}function xr(e,t,n,r,i,a){let{cell:o}=br({...e,cell:e.cell*t},i,a);return br({row:e.row+r/e.cell-r/o,column:e.column+n/e.cell-n/o,cell:o},i,a)}function Sr(e,t,n,r,i){let{row:a,column:o,cell:s}=e;return br({row:a-n/s,column:o-t/s,cell:s},r,i)}function Cr(e,t,n,r,i){let a=(t,n,r)=>{let i=r/e.cell,a=Math.min(1,Math.max(0,(i-1)/2));return Math.max(Math.min(t,n-a),n+1+a-i)};return br({row:a(e.row,t,i.height),column:a(e.column,n,i.width),cell:e.cell},r,i)}function wr(e,t,n,r,i){if(t<0||n<0||t>=i.width||n>=i.height)return null;let a=Math.floor(e.row+n/e.cell),o=Math.floor(e.column+t/e.cell);return a<r.rows&&o<r.columns?{row:a,column:o}:null}function Tr(e,t,n){let r=Math.ceil(-Math.log2(e*t)-1e-9);return Math.min(Math.max(r,0),Er(n))}function Er(e){return Math.max(0,Math.ceil(Math.log2(Math.max(e.rows,e.columns)/256)))}function Dr(e,t,n,r,i){let a=256*2**t,o=(t,n,r)=>Math.max(0,Math.ceil(Math.min(t+n/e.cell,r)/a)-1);return i.level=t,i.firstRow=Math.floor(e.row/a),i.firstColumn=Math.floor(e.column/a),i.lastRow=Math.max(i.firstRow,o(e.row,r.height,n.rows)),i.lastColumn=Math.max(i.firstColumn,o(e.column,r.width,n.columns)),i}function*Or({firstRow:e,lastRow:t,firstColumn:n,lastColumn:r}){for(let i=e;i<=t;i++)for(let e=n;e<=r;e++)yield[i,e]}function kr(e,t){return Math.ceil(e/2**t)}var Ar=new WeakMap,jr={width:640,height:640};function Mr(e,t,{queries:n,keys:r,shape:i}){let a=Ar.get(e.viewport);Ar.set(e.viewport,{width:t.width,height:t.height});let o=e.viewport.peek();if(!a||!o||a.width===t.width)return;let s=vr(o,i,a),c=e.focus.peek(),[l,u]=c?[n.of(c.query),r.of(c.key)]:[-1,-1],d=(e,t,n)=>e>=t-1&&e<=t+n/s.cell,f=c&&d(l,s.row,a.height)&&d(u,s.column,a.width)?Cr(s,l,u,i,t):s;e.viewport.value=yr(f,i,t)}function Nr(e){e.viewport.value=null}function Pr(e,{query:t,key:n}){let r=Br(e);if(!r)return;let{view:i,plot:a,axes:o}=r,s=xr(i,1/0,0,0,o.shape,a),c=(e,t)=>e+.5-t/s.cell/2,l=Sr({...s,row:c(o.queries.of(t),a.height),column:c(o.keys.of(n),a.width)},0,0,o.shape,a);e.viewport.value=yr(l,o.shape,a)}function Fr(e,t){let n=Br(e);if(!n)return;let{view:r,plot:i,axes:a}=n,o=e.focus.value,s=o?(a.keys.of(o.key)+.5-r.column)*r.cell:NaN,c=o?(a.queries.of(o.query)+.5-r.row)*r.cell:NaN,[l,u]=s>=0&&c>=0&&s<=i.width&&c<=i.height?[s,c]:[i.width/2,i.height/2];e.viewport.value=yr(xr(r,t,l,u,a.shape,i),a.shape,i)}function Ir(e,t,n){let r=Br(e);if(!r)return;let{view:i,plot:a,axes:o}=r,{rows:s,columns:c}=o.shape,l=e.focus.value,u=2**Tr(i.cell,1,o.shape),d=(e,t)=>Math.max(0,Math.min(t-1,e)),f=l?o.queries.of(l.query)+t*u:Math.floor(i.row+zr(a.height,i,s)),p=l?o.keys.of(l.key)+n*u:Math.floor(i.column+zr(a.width,i,c));Lr(e,{query:o.queries.token(d(f,s)),key:o.keys.token(d(p,c))})}function Lr(e,t){let n=Br(e);R(()=>{if(e.focus.value=t,e.toward.value=t.key,!n||!e.viewport.value)return;let{view:r,plot:i,axes:a}=n,o=Cr(r,a.queries.of(t.query),a.keys.of(t.key),a.shape,i);(o.row!==r.row||o.column!==r.column)&&(e.viewport.value=yr(o,a.shape,i))})}function Rr(e){let t=Br(e);if(!t)return null;let{view:n,plot:r,axes:i}=t,[a,o]=[Math.floor(n.row),Math.floor(n.column)],s=(e,t,r,i)=>Math.min(i,Math.ceil(e+r/n.cell-1e-6))-t;return{row:a,column:o,height:s(n.row,a,r.height,i.shape.rows),width:s(n.column,o,r.width,i.shape.columns)}}function zr(e,t,n){return Math.min(e/t.cell,n)/2}function Br(e){let t=e.trace.value,n=e.tap.value;if(!t||!n)return null;let r=Ar.get(e.viewport)??jr,i=dr(t,n,e.group.value);return{view:vr(e.viewport.value,i.shape,r),plot:r,axes:i}}function Vr(e){let{jpThemeLight:t,vscodeThemeKind:n}=e.body.dataset;if(t)return t===`false`;if(n)return!n.endsWith(`light`);let r=e.documentElement.getAttribute(`theme`);return r?r===`dark`:null}function Hr(e,t){let n=new MutationObserver(t);return n.observe(e.body,{attributeFilter:[`data-jp-theme-light`,`data-vscode-theme-kind`]}),n.observe(e.documentElement,{attributeFilter:[`theme`]}),()=>n.disconnect()}function Ur(e){let t=t=>{if(t.stopPropagation(),!(t.ctrlKey||t.metaKey||t.altKey)||t.defaultPrevented||t.target.closest(`input, textarea, select`))return;let n=new KeyboardEvent(t.type,t);e.parentElement?.dispatchEvent(n)===!1&&t.preventDefault()};return e.setAttribute(`data-lm-suppress-shortcuts`,`true`),e.addEventListener(`keydown`,t),()=>e.removeEventListener(`keydown`,t)}function Wr(e,{ctrlKey:t,metaKey:n}){return t||n||e.matches(`.regard--whole *, .regard:focus-within *`)}function Gr(e,t){if(!t)return()=>void 0;let n=e.createElement(`style`);return n.textContent=`img[src^="${t}"] { display: none !important }`,e.head.append(n),()=>n.remove()}async function Kr(e,t,n){let{signal:r}=new AbortController,[i,a]=[Math.floor(t.row/2**n),Math.floor(t.column/2**n)];for(;n>0;){let t=Math.max(0,n-Math.log2(256)),o=2**(n-t),s={level:t,row:i*o,column:a*o,height:Math.min(o,kr(e.shape.rows,t)-i*o),width:Math.min(o,kr(e.shape.columns,t)-a*o),every:1},{values:c,width:l}=await e.fetch(s,r),u=-1;for(let e=0;e<c.length;e++)c[e]>(u<0?-1/0:c[u])&&(u=e);if(u<0)return null;i=s.row+Math.floor(u/l),a=s.column+u%l,n=t}return{row:i,column:a}}var qr=300,Jr=220,Yr=4,Xr=2;function Zr({deltaY:e,deltaMode:t,ctrlKey:n}){let r=e*[1,16,400][t];return Math.exp(-Math.max(-300,Math.min(300,r))*(n?.01:.002))}function Qr(e,t,n){let r=new Map,i=null,a=!1,o=-1/0,s=0,c,l=new AbortController,u=(t,n)=>e.addEventListener(t,n,{signal:l.signal,passive:!1}),d=t=>{let r=e.getBoundingClientRect(),{left:i,top:a}=n.layout;return{x:t.clientX-r.left-i,y:t.clientY-r.top-a}},f=e=>t.viewport.value=yr(e,n.axes.shape,n.layout),p=(e,t)=>f(Sr(n.view,e,t,n.axes.shape,n.layout)),m=(e,{x:r,y:i})=>{let a=performance.now()-o>qr;o=performance.now(),e>=1||t.viewport.value?f(xr(n.view,e,r,i,n.axes.shape,n.layout)):a&&(t.view.value=`sentence`)},h=e=>{i=e,n.changed()},g=()=>{i=null,t.hover.value=null},_=({x:r,y:i})=>{let{axes:o,layer:s,level:l,view:u,layout:d}=n,f=wr(u,r,i,o.shape,d);if(!f)return;e.focus({preventScroll:!0});let p=({row:e,column:r})=>{n.layer===s&&(a=!0,Lr(t,{query:o.queries.token(e),key:o.keys.token(r)}),a=!1)};l>0?Kr(s,f,l).then(e=>p(e??f),()=>p(f)):p(f),clearTimeout(c),c=setTimeout(()=>t.drawer.value=`cell`,t.drawer.value?0:Jr)};u(`wheel`,t=>{Wr(e,t)&&(t.preventDefault(),h(d(t)),!t.ctrlKey&&(t.shiftKey||Math.abs(t.deltaX)>Math.abs(t.deltaY))?p(-(t.deltaX||t.deltaY),0):m(Zr(t),d(t)))}),u(`pointerdown`,t=>{t.button===0&&(e.setPointerCapture(t.pointerId),r.set(t.pointerId,d(t)),r.size===1&&(s=0))}),u(`pointermove`,e=>{let t=d(e),n=r.get(e.pointerId);if(!n)return h(t);let i=[...r].find(([t])=>t!==e.pointerId)?.[1];if(r.set(e.pointerId,t),i){s=1/0;let e=e=>Math.hypot(e.x-i.x,e.y-i.y);return p((t.x-n.x)/2,(t.y-n.y)/2),m(e(t)/Math.max(1,e(n)),{x:(t.x+i.x)/2,y:(t.y+i.y)/2})}h(t),s+=Math.hypot(t.x-n.x,t.y-n.y),s>Yr&&p(t.x-n.x,t.y-n.y)});let v=e=>{r.delete(e.pointerId)&&e.type===`pointerup`&&!r.size&&s<=Yr&&_(d(e))};return u(`pointerup`,v),u(`pointercancel`,v),u(`pointerleave`,g),u(`dblclick`,e=>{e.preventDefault(),clearTimeout(c),m(Xr,d(e))}),{clicking:()=>a,rest:()=>void(i&&g()),here(){if(!i)return null;let{view:e,axes:r,layout:a}=n,o=wr(e,i.x,i.y,r.shape,a),s=o&&{query:r.queries.token(o.row),key:r.keys.token(o.column)},c=t.hover.peek();return(c?.query!==s?.query||c?.key!==s?.key)&&(t.hover.value=s),o},close(){clearTimeout(c),l.abort()}}}var $r=4,ei=56,ti=5,ni=8;function ri(e,t){let n=Math.ceil(15/e-1e-9);return n<=$r?{kind:`tokens`,step:n}:{kind:`numbers`,step:Nn(Math.ceil(t/e))}}function ii(e,t,n){let r=0,i=Math.max(1,Math.floor(t/200));for(let a=0;a<t;a+=i)r=Math.max(r,e.measureText(n(a)).width);return r}function ai(e,t,n){return Math.ceil(Math.min(n,Math.max(t,e+ni+ti+1)))}function oi(e){return ri(e.cell,ei).kind===`tokens`&&e.cell<ei}function*si(e,t,n,r,i){let a=Math.min(t,n+i/r);for(let t=Math.max(0,Math.ceil(n/e)*e-e);t<a;t+=e){let e=(t+.5-n)*r;e>=-1&&e<=i&&(yield[t,e])}}function ci(e,t,n,r,i,a){let{kind:o,step:s}=ri(n.cell,30);e.textBaseline=`middle`,e.textAlign=`right`,e.font=o===`tokens`?i.font:i.mono;let c=t.left-ni-ti;for(let[l,u]of si(s,r.length,n.row,n.cell,t.height)){let n=t.top+u;e.fillStyle=i.rule,e.fillRect(t.left-ti,Math.round(n),4,1),e.fillStyle=o===`tokens`?i.foreground:i.muted;let s=o===`numbers`?cn(l):ui(r,l,a);e.fillText(pi(e,s,c),t.left-ni,n)}}function li(e,t,n,r,i){let{kind:a,step:o}=ri(n.cell,ei);e.font=a===`tokens`?i.font:i.mono,e.textBaseline=`middle`;let s=!oi(n),c=s?n.cell*o-6:t.top-ni-ti;for(let[l,u]of si(o,r.length,n.column,n.cell,t.width)){let n=t.left+u;e.fillStyle=i.rule,e.fillRect(Math.round(n),t.top-ti,1,4),e.fillStyle=a===`tokens`?i.foreground:i.muted,s?(e.textAlign=`center`,e.fillText(a===`numbers`?cn(l):pi(e,r.label(l),c),n,t.top-ni-5)):(e.save(),e.translate(n,t.top-ni),e.rotate(-Math.PI/2),e.textAlign=`left`,e.fillText(pi(e,r.label(l),c),0,0),e.restore())}}function ui(e,t,n){let r=e.predicts(t);return r===null?e.label(t):n?`${e.label(t)} → ${r}`:`→ ${r}`}var di=new Map,fi=2e4;function pi(e,t,n){let r=`${Math.floor(n)} ${e.font} ${t}`,i=di.get(r);if(i!==void 0)return i;let a=t;if(e.measureText(t).width>n){let r=[...t],[i,o]=[0,r.length];for(;i<o;){let t=i+o+1>>1;e.measureText(`${r.slice(0,t).join(``)}…`).width<=n?i=t:o=t-1}a=i?`${r.slice(0,i).join(``)}…`:``}return di.size>fi&&di.clear(),di.set(r,a),a}var mi=3,hi=14,gi=150,_i=class{live;row;column;box;rowChip;columnChip;rowChipWidth=0;tip;tipWhere;tipWhat;speaking;constructor(e,t){this.live=t;let n=(t,n=e)=>{let r=document.createElement(`div`);return r.className=`rg-map__${t}`,n.append(r),r};this.row=n(`band`),this.column=n(`band`),this.box=n(`focus`),this.rowChip=n(`chip rg-cut`),this.columnChip=n(`chip rg-cut`),this.tip=n(`tip`),this.tipWhere=n(`tip-where rg-note`,this.tip),this.tipWhat=n(`tip-what rg-number`,this.tip)}show(e,t,n,r,i,a){let o=e?.reading,s=o?2**o.level:1,c=e=>Math.floor(e/s)*s;if(o){let t=yi(i.top,i.height,c(o.row),s,r.row,r.cell),l=yi(i.left,i.width,c(o.column),s,r.column,r.cell),u=Math.min(i.width,(n.shape.columns-r.column)*r.cell),d=Math.min(i.height,(n.shape.rows-r.row)*r.cell);bi(this.row,t&&[i.left,t[0],u,t[1]]),bi(this.column,l&&[l[0],i.top,l[1],d]),this.labels(o,n,i,l,t,oi(r));let f=e.tip&&l&&t;this.tip.hidden=!f,f&&this.readout(o,n,a,l,t,i)}else for(let e of[this.row,this.column,this.rowChip,this.columnChip,this.tip])e.hidden=!0;let l=t&&yi(i.top,i.height,t.row,1,r.row,r.cell),u=t&&yi(i.left,i.width,t.column,1,r.column,r.cell);bi(this.box,u&&l&&[u[0]-1,l[0]-1,u[1]+2,l[1]+2])}labels(e,t,n,r,i,a){if(this.rowChip.hidden=!i,i&&(Si(this.rowChip,`${e.row} ${ui(t.queries,e.row,!0)}`)&&(this.rowChipWidth=this.rowChip.offsetWidth),xi(this.rowChip,Math.max(0,n.left-4-this.rowChipWidth),i[0]+i[1]/2,`0`,`-50%`)),this.columnChip.hidden=!r,r){Si(this.columnChip,`${e.column} ${t.keys.label(e.column)}`),this.columnChip.classList.toggle(`rg-map__chip--upright`,a);let i=r[0]+r[1]/2,o=a?.5:Math.min(1,Math.max(0,(i-n.left)/n.width)),s=a?Math.max(n.top-4,this.columnChip.offsetHeight):n.top-4;xi(this.columnChip,i,s,`${-100*o}%`,`-100%`,a?` rotate(180deg)`:``)}}readout(e,t,n,r,i,a){let o=gn(n.say,e,t),s=_n(e,n);Si(this.tipWhere,o),Si(this.tipWhat,s);let{offsetWidth:c,offsetHeight:l}=this.tip,u=e.value===null||Number.isNaN(e.value)?``:on(e.value);this.tip.dataset.value!==u&&(this.tip.dataset.value=u);let d=r[0]+r[1]/2>a.left+.6*a.width,f=i[0]+i[1]/2>a.top+.7*a.height,p=d?r[0]-hi-c:r[0]+r[1]+hi,m=f?i[0]-hi-l:i[0]+i[1]+hi;xi(this.tip,vi(p,a.left+a.width-c),vi(m,a.top+a.height-l),`0`,`0`),this.speak(`${o}: ${s}`)}speak(e){this.live.dataset.next!==e&&(this.live.dataset.next=e,clearTimeout(this.speaking),this.speaking=setTimeout(()=>this.live.textContent=e,gi))}close(){clearTimeout(this.speaking)}};function vi(e,t){return Math.max(0,Math.min(t,e))}function yi(e,t,n,r,i,a){let o=(n-i)*a,s=o+Math.max(r*a,mi);if(s<=0||o>=t)return null;let[c,l]=[Math.max(0,o),Math.min(t,s)];return[e+c,l-c]}function bi(e,t){e.hidden=!t,t&&(e.style.transform=`translate(${t[0]}px, ${t[1]}px)`,e.style.width=`${t[2]}px`,e.style.height=`${t[3]}px`)}function xi(e,t,n,r,i,a=``){e.style.transform=`translate(${t}px, ${n}px) translate(${r}, ${i})${a}`}function Si(e,t){return e.textContent!==t&&(e.textContent=t,!0)}var Ci=44,wi=18,Ti=1/512,Ei=32;function Di(e,t){let{range:n,layer:r,store:i,ratio:a,layout:o,view:s,palette:c}=t,l=new zi(s,o,a);e.save(),e.beginPath();let u=Math.min(l.x(r.shape.columns),Math.round((o.left+o.width)*a)),d=Math.min(l.y(r.shape.rows),Math.round((o.top+o.height)*a));e.rect(l.left,l.top,u-l.left,d-l.top),e.clip(),e.fillStyle=c.unloaded,e.fillRect(l.left,l.top,u-l.left,d-l.top),e.imageSmoothingEnabled=!1;let f=!0;for(let[a,o]of Or(n)){let s=i.get(r,n.level,a,o);s?ki(e,t,l,s,n.level,a,o):Oi(e,t,l,a,o),f&&=s?.every===1}return n.level===0&&s.cell>=wi&&Ii(e,t,l,u,d),n.level===0&&s.cell>=Ci&&Ri(e,t,l),e.restore(),f}function Oi(e,t,n,r,i){let{layer:a,store:o,range:s}=t,c=Er(a.shape);for(let l=s.level+1;l<=c;l++){let c=2**(l-s.level),u=o.get(a,l,Math.floor(r/c),Math.floor(i/c));if(u){ki(e,t,n,u,s.level,r,i);break}}if(s.level!==0)for(let c=0;c<4;c++){let[l,u]=[2*r+(c>>1),2*i+(c&1)],d=o.get(a,s.level-1,l,u);d&&ki(e,t,n,d,s.level-1,l,u)}}function ki(e,t,n,r,i,a,o){let s=2**r.level,c=256*2**i,{view:l,layout:u}=t,d=Math.max(a*c,l.row),f=Math.max(o*c,l.column),p=Math.min((a+1)*c,l.row+u.height/l.cell),m=Math.min((o+1)*c,l.column+u.width/l.cell),h=(e,t,n)=>Math.max(Math.floor(t/s),Math.floor(e/s/Ei)*Ei)-n*256,g=(e,t,n,r)=>Math.min(Math.ceil(t/s)-n*256,Math.ceil(e/s/Ei)*Ei-n*256,r),_=h(d,a*c,r.row),v=h(f,o*c,r.column),y=g(p,(a+1)*c,r.row,r.height),b=g(m,(o+1)*c,r.column,r.width);if(y<=_||b<=v)return;let x=r.level===0&&l.cell>=wi,S=n.x((r.column*256+v)*s,x),C=n.y((r.row*256+_)*s,x),w=n.x((r.column*256+b)*s,x)-S,T=n.y((r.row*256+y)*s,x)-C,E=ji(r,t);r.masked&&Ai(e,t.palette.hatch,n,S,C,w,T),e.drawImage(E,v,_,b-v,y-_,S,C,w,T)}function Ai(e,t,n,r,i,a,o){let[s,c]=[n.x(0),n.y(0)];e.save(),e.translate(s,c),e.fillStyle=t,e.fillRect(r-s,i-c,a,o),e.restore()}function ji(e,t){let n=e.level===t.range.level?t.bands.get(e.row):void 0,r=t.coloring.kind===`row`&&n?n.colors:t.colors;if(e.picture&&e.painted===r)return e.picture;e.picture?.close();let i=n;return t.coloring.kind===`row`&&!i&&(i=Pi(e.height),Fi(i,e)),e.picture=Ni(e,t.coloring,t.palette.ramp,i),e.painted=r,e.picture}var Mi=null;function Ni(e,t,n,r){let{width:i,height:a}=e;Mi??=new OffscreenCanvas(i,a),Mi.width=i,Mi.height=a;let o=new Uint32Array(i*a);return e.masked=Tn(e.values,i,o,t,n,r),Mi.getContext(`2d`).putImageData(new ImageData(new Uint8ClampedArray(o.buffer),i,a),0,0),Mi.transferToImageBitmap()}function Pi(e){return{low:new Float32Array(e),high:new Float32Array(e),colors:-1}}function Fi(e,{values:t,width:n}){for(let r=0,i=0,a=0;r<t.length;r++){let o=t[r];o>e.high[i]&&(e.high[i]=o),o<e.low[i]&&o>-1/0&&(e.low[i]=o),++a===n&&(a=0,i+=1)}}function Ii(e,t,n,r,i){let{view:a,layer:o,palette:s}=t;e.fillStyle=s.rule;for(let t=Math.ceil(a.column);t<=o.shape.columns;t++){let a=n.x(t);if(a>r)break;e.fillRect(a-1,n.top,1,i-n.top)}for(let t=Math.ceil(a.row);t<=o.shape.rows;t++){let a=n.y(t);if(a>i)break;e.fillRect(n.left,a-1,r-n.left,1)}}function Li(e,t,n,r){return e-t>=n&&e+t<=r}function Ri(e,t,n){let{view:r,layout:i,range:a,layer:o,store:s,palette:c,ratio:l,coloring:u}=t,d=Math.min(12,(r.cell-4)/3.2),[f,p]=[.3*d*l,.4*d*l],[m,h]=[n.left+i.width*l,n.top+i.height*l];e.font=c.mono.replace(/^\S+/,`${(d*l).toFixed(1)}px`),e.textAlign=`center`,e.textBaseline=`middle`;let g=Math.min(o.shape.rows,Math.ceil(r.row+i.height/r.cell)),_=Math.min(o.shape.columns,Math.ceil(r.column+i.width/r.cell));for(let[i,l]of Or(a)){let a=s.get(o,0,i,l);if(!a)continue;let d=a.texts??=new Map,v=t.bands.get(i);for(let o=Math.max(Math.floor(r.row),i*256);o<Math.min(g,(i+1)*256);o++){let s=(n.y(o)+n.y(o+1))/2;if(!Li(s,p,n.top,h))continue;let g=o-i*256;for(let i=Math.max(Math.floor(r.column),l*256);i<Math.min(_,(l+1)*256);i++){let r=g*a.width+i-l*256,o=a.values[r];if(o!==o)continue;let p=d.get(r);p===void 0&&d.set(r,p=rn(o,t.quantity));let h=(n.x(i)+n.x(i+1))/2;if(!p||!Li(h,f*p.length,n.left,m))continue;let _=wn(u,o,v?.low[g],v?.high[g]);e.fillStyle=c.ink[c.inkOf[Math.round(_*255)]],e.fillText(p,h,s)}}}}var zi=class{left;top;scale;offsetX;offsetY;constructor(e,t,n){this.scale=e.cell*n,this.left=Math.round(t.left*n),this.top=Math.round(t.top*n),this.offsetX=this.left-Math.round(e.column*this.scale),this.offsetY=this.top-Math.round(e.row*this.scale)}x(e,t=!1){let n=e*this.scale;return(t?n+Ti:Math.round(n))+this.offsetX}y(e,t=!1){let n=e*this.scale;return(t?n+Ti:Math.round(n))+this.offsetY}},Bi=7;function Vi(e,t,n,r){let i=getComputedStyle(e),a=e=>Hi(i,e),o=a(`--rg-panel`),s=n?Gt(o):Wt(o),c=a(`--rg-rule`),l=a(`--rg-faint`),u=i.getPropertyValue(`--rg-size-s`).trim()||`12px`;return{background:Yt(a(`--rg-bg`)),unloaded:Yt(a(`--rg-sunk`)),foreground:Yt(a(`--rg-fg`)),muted:Yt(a(`--rg-muted`)),rule:Yt(c),font:`${u} ${i.getPropertyValue(`--rg-font`).trim()||`sans-serif`}`,mono:`${u} ${i.getPropertyValue(`--rg-mono`).trim()||`monospace`}`,ramp:s,ink:[Yt(Kt[0]),Yt(Kt[1])],inkOf:qt(s),hatch:t(Yt(a(`--rg-sunk`)),Yt(Ui(c,l)),Math.round(Bi*Math.max(1,r)))}}function Hi(e,t){let n=new OffscreenCanvas(1,1).getContext(`2d`,{willReadFrequently:!0});n.fillStyle=e.getPropertyValue(t).trim().replace(/^light-dark\((.*),(.*)\)$/,e.colorScheme===`dark`?`$2`:`$1`),n.fillRect(0,0,1,1);let{data:r}=n.getImageData(0,0,1,1);return[r[0],r[1],r[2]]}function Ui(e,t){return e.map((e,n)=>Math.round(.65*e+.35*t[n]))}function Wi(e,t,n,r){let i=new OffscreenCanvas(r,r),a=i.getContext(`2d`);a.fillStyle=t,a.fillRect(0,0,r,r),a.fillStyle=n;for(let e=0;e<r;e++)a.fillRect(e,r-1-e,1,1);return e.createPattern(i,`repeat`)}var Gi=fe(null);function Ki(){let e=Ae(Gi);return(t,n,r)=>e&&n!==null?e(t,n,r):void 0}function qi(e,t){let[n,r]=De(null);return ke(()=>{if(!e.current)return;let t=Hi(getComputedStyle(e.current),`--rg-panel`),[n,i]=[Yi(Wt(t)),Yi(Gt(t))];r(()=>(e,t,r)=>(e===`weight`?n:i)(Ji(e,r),t))},[t]),n}function Ji(e,t){return{kind:`linear`,low:e===`weight`?0:-t,high:t,diverging:e===`signed`}}function Yi(e){let t=qt(e);return(n,r)=>{let i=Math.round(wn(n,r)*(e.length-1));return{background:Yt(Xt(e[i])),color:Yt(Kt[t[i]])}}}var Xi=new WeakMap,Zi=4096,Qi=.35,$i=0,ea=class{context;fillStyle=`#000`;textAlign=`left`;textBaseline=`alphabetic`;imageSmoothingEnabled=!1;parts=[];depths=[];open=0;path=``;ids=0;name=`d${++$i}`;constructor(e){this.context=e}get font(){return this.context.font}set font(e){this.context.font=e}measureText(e){return this.context.measureText(e)}save(){this.depths.push(this.open)}restore(){for(let e=this.depths.pop()??0;this.open>e;this.open--)this.parts.push(`</g>`)}translate(e,t){this.group(`transform="translate(${X(e)} ${X(t)})"`)}scale(e,t){this.group(`transform="scale(${e} ${t})"`)}rotate(e){this.group(`transform="rotate(${X(e*180/Math.PI)})"`)}beginPath(){this.path=``}rect(e,t,n,r){this.path+=`<rect ${na(e,t,n,r)}/>`}clip(){let e=this.id();this.parts.push(`<clipPath id="${e}">${this.path}</clipPath>`),this.group(`clip-path="url(#${e})"`)}fillRect(e,t,n,r){this.parts.push(`<rect ${na(e,t,n,r)} fill="${String(this.fillStyle)}"/>`)}fillText(e,t,n){if(!e)return;let r=Number(/([\d.]+)px/.exec(this.font)?.[1]??12),i={center:`middle`,right:`end`,end:`end`}[this.textAlign]??`start`,a=this.textBaseline===`middle`?n+Qi*r:n;this.parts.push(`<text x="${X(t)}" y="${X(a)}" text-anchor="${i}" style="font:${ra(this.font)}" fill="${String(this.fillStyle)}">${ra(e)}</text>`)}drawImage(e,...[t,n,r,i,a,o,s,c]){if(r*i>Zi){this.parts.push(ta(e,t,n,r,i,na(a,o,s,c)));return}let{canvas:l}=this.context,u=this.font;[l.width,l.height]=[r,i],this.context.drawImage(e,-t,-n);let{data:d}=this.context.getImageData(0,0,r,i);this.font=u,this.group(`transform="translate(${X(a)} ${X(o)}) scale(${s/r} ${c/i})" shape-rendering="crispEdges"`);for(let e=0;e<i;e++)this.cells(d.subarray(4*e*r,4*(e+1)*r),e);this.parts.push(`</g>`),this.open--}cells(e,t){for(let n=0,r=1;4*n<e.length;n=r++){let i=ia(e,4*n);for(;4*r<e.length&&ia(e,4*r)===i;)r++;e[4*n+3]&&this.parts.push(`<rect ${na(n,t,r-n,1)} fill="${i}"/>`)}}hatching(e,t,n){let r=this.id();return this.parts.push(`<pattern id="${r}" patternUnits="userSpaceOnUse" width="${n}" height="${n}"><rect width="${n}" height="${n}" fill="${e}"/><path d="M-1 1L1 -1M0 ${n}L${n} 0M${n-1} ${n+1}L${n+1} ${n-1}" stroke="${t}"/></pattern>`),`url(#${r})`}toString(){return this.depths=[],this.restore(),this.parts.join(``)}group(e){this.parts.push(`<g ${e}>`),this.open++}id(){return`${this.name}-${++this.ids}`}};function ta(e,t,n,r,i,a){let o=document.createElement(`canvas`);return[o.width,o.height]=[r,i],o.getContext(`2d`).drawImage(e,-t,-n),`<image ${a} preserveAspectRatio="none" style="image-rendering:pixelated" href="${o.toDataURL()}"/>`}function na(e,t,n,r){return`x="${X(e)}" y="${X(t)}" width="${X(n)}" height="${X(r)}"`}function X(e){return Math.round(e*100)/100}function ra(e){return e.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,`�`).replace(/&/g,`&amp;`).replace(/</g,`&lt;`).replace(/>/g,`&gt;`).replace(/"/g,`&quot;`)}function ia(e,t=0){return`#${[0,1,2].map(n=>e[t+n].toString(16).padStart(2,`0`)).join(``)}`}var aa=2,oa=2,sa=6;function ca(e,t){if(e<=aa||t)return[1];let n=[];for(let t=2**e;t>4;t/=8)n.push(t);return[...n,1]}function la(e,t,n,r,i){let a=[],o=(e,t,a)=>{if(i(e,t,a))return null;let o=r(e,t,a),s=ca(e,n).find(e=>e<o);return s===void 0?null:{level:e,row:t,column:a,every:s}},s=Er(t),c=o(s,0,0),l=r(s,0,0)===1/0;if(c&&l){if(c.every>1)return[c];a.push(c)}let u=[...Or(e)].flatMap(([t,n])=>{let{level:a}=e;return(i(a,t,n)?ua(a,t,n,s,r,o):o(a,t,n))??[]}),d=(e,t)=>(e+t)/2,f=({row:t,column:n})=>Math.abs(t-d(e.firstRow,e.lastRow))+Math.abs(n-d(e.firstColumn,e.lastColumn));return u.sort((e,t)=>t.every-e.every||f(e)-f(t)),a.push(...u),e.level<=oa&&a.push(...da(e,t,o)),c&&!l&&(s<=sa||n)&&a.push(c),fa(a)}function ua(e,t,n,r,i,a){for(let o=e+1;o<=r;o++){let[r,s]=[Math.floor(t/2**(o-e)),Math.floor(n/2**(o-e))];if(i(o,r,s)<1/0)return null;let c=a(o,r,s);if(c)return c}return null}function da({level:e,firstRow:t,lastRow:n,firstColumn:r,lastColumn:i},a,o){let s=t=>Math.ceil(kr(t,e)/256)-1,c={firstRow:Math.max(0,t-1),lastRow:Math.min(s(a.rows),n+1),firstColumn:Math.max(0,r-1),lastColumn:Math.min(s(a.columns),i+1)},l=(e,a)=>e>=t&&e<=n&&a>=r&&a<=i;return[...Or(c)].flatMap(([t,n])=>(l(t,n)?null:o(e,t,n))??[])}function fa(e){let t=new Set;return e.filter(({level:e,row:n,column:r,every:i})=>{let a=`${e} ${n} ${r} ${i}`;return!t.has(a)&&t.add(a)})}var pa=8,ma=.995,ha=.9,ga=.3,_a=[1,2,3,4],va=2**17,ya=.1;function ba(e,t){return Math.max(e,t)>256}function xa(e,t){let n=Math.min(...e.map(e=>e.row)),r=Math.min(...e.map(e=>e.column)),i=Math.max(...e.map(e=>e.row+e.values.length/e.width))-n,a=Math.max(...e.map(e=>e.column+e.width))-r;if(!(i>0))return null;let o=new Uint32Array(i),s=new Float64Array(a);for(let t of e){let e=wa(t);e.allowed.forEach((e,r)=>o[t.row-n+r]+=e),e.sums.forEach((e,n)=>s[t.column-r+n]+=e)}let c=o.reduce((e,t)=>e+ +(t>0),0),l=t.shares?c:s.reduce((e,t)=>e+t,0),u=[];for(let e=0;c>=pa&&e<a;e++){let t=s[e]/l;t>.3&&u.push({column:e+r,mass:Math.min(1,t)})}let d=new Float32Array(i);for(let t of e)Ta(t,u).forEach((e,r)=>{let i=t.row-n+r;e>d[i]&&(d[i]=e)});let f=Da(e,e=>o[e-n]<2?0:t.perRow&&d[e-n]||1,u),p=t.perRow?1:ja(f,ma);if(!(p>0))return null;let m=ja(f,ha)/p,h=t.rooted?_a.find(e=>m**(1/e)>=ga)??_a.at(-1):1;return{perRow:t.perRow,high:p,root:h,sinks:u,firstRow:n,rowHighs:d}}function Sa(e,t){if(!e||e.perRow!==t.perRow||e.root!==t.root)return t;let n=e=>e.map(({column:e})=>e).join();return n(e.sinks)===n(t.sinks)&&Math.abs(t.high-e.high)<=ya*e.high&&t.high<=e.high*1.05?e:t}var Ca=new WeakMap;function wa({values:e,width:t}){let n=Ca.get(e);if(n)return n;let r=e.length/t;n={allowed:new Uint32Array(r),sums:new Float64Array(t),highs:new Float32Array(r)};let{allowed:i,sums:a,highs:o}=n;for(let n=0,s=0;n<r;n++){let[r,c]=[0,0];for(let n=0;n<t;n++,s++){let t=e[s];t===t&&(r+=1,a[n]+=t,t>c&&(c=t))}i[n]=r,o[n]=c}return Ca.set(e,n),n}function Ta(e,t){let{highs:n}=wa(e),r=Ea(e,t);return r.size?n.map((t,n)=>{let i=0;for(let t=0;t<e.width;t++){let a=e.values[n*e.width+t];a>i&&!r.has(t)&&(i=a)}return t>i?i:t}):n}function Ea({column:e,width:t},n){return new Set(n.map(t=>t.column-e).filter(e=>e>=0&&e<t))}function Da(e,t,n){let r=new Uint32Array(2**15),i=e.reduce((e,t)=>e+t.values.length,0),a=Math.ceil(i/va)|1;for(let i of e){let e=Ea(i,n),{values:o,width:s,row:c}=i,l=Float32Array.from({length:o.length/s},(e,n)=>t(c+n));for(let t=0;t<o.length;t+=a){let n=l[t/s|0],i=o[t];i!==i||!n||e.size&&e.has(t%s)||(r[Aa(i/n)]+=1)}}return r}var Oa=new Float32Array(1),ka=new Uint32Array(Oa.buffer);function Aa(e){return Oa[0]=e>0?e:0,ka[0]>>>16}function ja(e,t){let n=0;for(let t=0;t<e.length;t++)n+=e[t];let r=n*(1-t);for(let t=e.length-1;t>=0;t--)if(r-=e[t],!(r>=0||!e[t]))return ka[0]=t<<16|65535,Oa[0];return 0}var Ma=0,Na=class{by=null;whole=null;version=0;bands=new Map;highest=0;automatic=null;surveyed=null;forget(){this.by=null}follow(e,t,n){let{scale:r,quantity:i,reduce:a,difference:o,ends:s}=n,c=Ia(e,a,t);this.highest=c.high;let l=this.surveyed===e?this.automatic:null;this.whole=Sn(r,i,o,c,e.shape.columns,l);let u=Cn(this.whole,s),d=this.by;if(d&&d.kind===u.kind&&d.low===u.low&&d.high===u.high&&d.root===u.root)return!1;this.by=u,this.version=++Ma;for(let e of this.bands.values())e.colors=++Ma;return!0}measure(e,t,n,{scale:r,quantity:i,difference:a,causal:o}){let s=r===`auto`&&!a&&i!==`score`,c=ba(t.shape.rows,t.shape.columns),l=xa(s?Pa(e,t,n):[],{perRow:o&&c,rooted:c,shares:i===`weight`});l?this.automatic=this.surveyed===t?Sa(this.automatic,l):l:s&&this.surveyed===t||(this.automatic=null),this.surveyed=t,l?.perRow?this.keep(Fa(l,n)):s?l&&(this.bands=new Map):this.measureRows(e,t,n,r===`row`&&!a)}measureRows(e,t,n,r){let i=new Map;for(let[a,o]of r?Or(n):[]){let r=e.get(t,n.level,a,o),s=i.get(a)??Pi(256);i.set(a,s),r&&Fi(s,r)}this.keep(i)}keep(e){for(let[t,n]of e){let e=this.bands.get(t);n.colors=e&&La(e.low,n.low)&&La(e.high,n.high)?e.colors:++Ma}this.bands=e}};function Pa(e,t,n){return[...Or(n)].flatMap(([r,i])=>{let a=e.get(t,n.level,r,i);return a?{values:a.values,width:a.width,row:r*256,column:i*256}:[]})}function Fa({firstRow:e,rowHighs:t},n){let r=new Map;for(let i=n.firstRow;i<=n.lastRow;i++){let n=Pi(256),a=i*256-e;a+256>0&&n.high.set(t.subarray(Math.max(0,a),Math.max(0,a+256)),Math.max(0,-a)),r.set(i,n)}return r}function Ia({extents:e},t,n){if(t===`mean`)return e[n]??bn();let r=bn();for(let t of e)t&&(r.low=Math.min(r.low,t.low),r.high=Math.max(r.high,t.high));return r}function La(e,t){return e.every((e,n)=>e===t[n])}function Ra(e){return e.rows<=256&&e.columns<=256}function za(e,t){return e===`norm`&&t.quantities.includes(`norm`)?`norm`:`weight`}var Ba=1024;async function Va(e,t,n,r,i,a,o){let[s,c]=[a.end-a.first,n.columns],l=e=>Array.from({length:Math.max(1,Math.ceil(e/Ba))},(e,t)=>t*Ba),u=l(s).flatMap(e=>l(c).map(t=>({row:e,column:t}))),d=await Promise.all(u.map(({row:l,column:u})=>e.tile(t,{tap:n.name,head:r,quantity:i,level:0,row:a.first+l,column:u,height:Math.min(Ba,s-l),width:Math.min(Ba,c-u),reduce:`max`,group:`token`,every:1},o)));if(d.length===1)return d[0];let f=new Float32Array(s*c);return d.forEach((e,t)=>{let{row:n,column:r}=u[t];for(let t=0;t<e.height;t++)f.set(e.values.subarray(t*e.width,(t+1)*e.width),(n+t)*c+r)}),{values:f,height:s,width:c}}function Ha({values:e,height:t,width:n},r,i){let a=new Float32Array(r.length*i.length);return r.forEach(({first:r,end:o},s)=>{let c={first:Math.max(0,r),end:Math.min(o,t)};a.set(Wa(t=>e.subarray(t*n,(t+1)*n),c,i),s*i.length)}),{values:a,height:r.length,width:i.length}}function Ua(e){let t=e.reduce((e,t,n)=>e+(n&&t?t:0),0);return e.map((e,n)=>n&&t>0?e/t:0)}function Wa(e,{first:t,end:n},r){let i=new Float64Array(r.length).fill(NaN);for(let a=t;a<n;a++){let o=e(a);r.forEach((e,r)=>{for(let a=e.first;a<e.end;a++){let e=o[a]??NaN;Number.isNaN(e)||(i[r]=(i[r]||0)+e/(n-t))}})}return Float32Array.from(i)}var Ga=.1,Ka=.8,qa=.2,Ja=.5,Ya=.1,Xa=e=>$n(e,nr(e,`word`)?`word`:`token`);function Za(e,t){let n=Xa(e).filter(({end:t})=>!e.predicts||t>1).map(n=>eo(e,n,t));return e.predicts?[...n,eo(e,null,t)]:n}function Qa(e,t,n){if(t<0||t>=e.tokens.length)return null;let r=Xa(e);return eo(e,r[ir(r,e.predicts?t+1:t)]??null,n)}function $a({labels:e=[]},t,n){let[r]=e;return r&&n&&t.image&&n.label===`CLS`?{...n,label:r.token,deed:`predict`}:n}function eo({predicts:e,tokens:t,prompt:n},r,i){if(!e&&r)return{label:r.label,deed:`read`,rows:{first:r.first,end:r.end}};let a=r?Math.max(r.first,1)-1:t.length-1;return{label:r?.label??J(e?.[a]??``,Y(e??[])),deed:i&&a+1>=n?`write`:`predict`,rows:{first:a,end:r?Math.max(a,r.end-1):a+1}}}function to(e,t,n,r=0,i=!1){let a=Xa(t),{values:o}=Ha(n,[{first:e.rows.first-r,end:e.rows.end-r}],a),s=i?Ua(o):o,c=a.map((e,t)=>({first:e.first,end:e.end,label:e.label,title:e.title,special:e.special,share:s[t]})).filter(({share:e})=>e>0).sort((e,t)=>t.share-e.share),[l]=c;if(!l)return null;if(t.peaks){let n=no(a,s,t.tokens);return{asked:e,looks:l.special?n.share<Ga?[l]:[l,n]:[n],special:l.special}}let u=c.slice(1).find(e=>!e.special);return{asked:e,looks:u&&u.share>=Ga&&(l.special||l.share<Ka)?[l,u]:[l],special:l.special}}function no(e,t,n){let r=[...t].map((t,n)=>e[n]?.special?0:t),i=r.indexOf(Math.max(...r)),a=e=>(r[e]??0)>qa*r[i],[o,s]=[i,i];for(;a(o-1);)o--;for(;a(s+1);)s++;let[{first:c,label:l},{end:u,title:d}]=[e[o],e[s]],f=r.slice(o,s+1).reduce((e,t)=>e+t,0);return{first:c,end:u,label:`${l}–${n[u]??d}`,title:l,special:!1,share:f}}function ro(e,t,n,r){let i=new Map,a=0,o=t.map(e=>ao(e)?a++:a),s=e.some(({deed:e})=>e===`write`);for(let[c,l]of n.entries())for(let n of e){if(s&&n.deed!==`write`||!ao(n))continue;let{values:e}=Ha(l,[n.rows],t),u=e.reduce((t,n,r)=>n>e[t]?r:t,0),[d,f]=[t[u],e[u]];if(!d||!ao(d)||d.label===n.label)continue;let p=`${n.rows.first} ${u}`,{worth:m,...h}=i.get(p)??{worth:0,asked:n,map:c,share:f},g=Math.abs(o[u]-(o[ir(t,n.rows.first)]??0))-1,_=f**2*(r?Math.min(1,Math.max(g,Ya)/(Ja*a)):1);i.set(p,{...f>h.share?{asked:n,map:c,share:f}:h,worth:m+_})}return[...i.values()].reduce((e,t)=>t.worth>(e?.worth??0)?t:e,null)}function io(e,t,n){return Math.min(1,Math.abs(t-e)/(Ja*n))}function ao({label:e}){return!ar(e)&&/^-?[\p{L}\p{N}]/u.test(e)}function oo(e){let[,t=null,n,r,i]=/^(?:([a-z][\w.]*):(?:(\d+):)?)?(\d+):(\d+)$/.exec(e)??[];return r&&i?{tap:t,head:n?Number(n):null,query:Number(r),key:Number(i)}:null}function so(e){let[t=``,...n]=e.split(`:`);if(!n.every(e=>/^\d+$/.test(e)))return null;let[r=0,i=0,a=0]=n.map(Number);return n.length?n.length===1?/^[a-z]+$/.test(t)?{what:`token`,axis:t,position:r}:t?{what:`head`,tap:t,head:r}:null:n.length===3&&t?{what:`edge`,tap:t,head:r,query:i,key:a}:null:/^\d+$/.test(t)?{what:`token`,axis:null,position:Number(t)}:null}var co=e=>`source`in e?`source`:`tokens`,lo=(e,t,n)=>t===co(e)?String(n):`${t}:${n}`,uo=(e,t)=>`${e}:${t}`;function fo({what:e,tap:t,head:n,query:r,key:i},{axes:a,taps:o}){return e===`head`?uo(t,n):e===`edge`?`${t}:${n}:${r}:${i}`:lo(a,o.find(e=>e.name===t)?.keys??co(a),i)}function po(e){let t=e=>/^\d+$/.test(e)?Number(e):1/0;return[...new Set(e)].sort((e,n)=>t(e)===t(n)?e<n?-1:1:t(e)-t(n))}function mo(e,t,n){let[r,i]=[ho(t),ho(n)];return new Map(e.flatMap(e=>{let t=r.find(({positions:t})=>t.includes(e))?.word,n=i.find(e=>e.word===t);return n?[[e,n.positions]]:[]}))}function ho(e){let t=e[co(e)],n=[];return(t?Xa(t):[]).map(e=>{let t=e.special?e.label:e.label.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]/gu,``);return n.push(t),{word:`${t} ${n.filter(e=>e===t).length}`,positions:Zn(e).map(String)}})}function go(e,t,{axes:n,taps:r}){let i=new Map;for(let a of t){let t=so(a);if(t?.what===`token`){let r=t.axis??co(n),o=n[r]?.words?.find(([e,n])=>t.position>=e&&t.position<n),s=`${r} ${o?o[0]:t.position}`,c=i.get(s),l=yo(n,r,t.position,c!==void 0);c?Object.assign(c,{names:[...c.names,a],label:c.label+l.replace(/^-/,``)}):i.set(s,{names:[a],label:l,title:e(`off.token`)})}else if(t){let o=r.find(e=>e.name===t.tap),s=o?`${un(e,o)}, ${dn(e,t.head)}`:a,c=o&&t.what===`edge`?{query:yo(n,o.queries,t.query),key:yo(n,o.keys,t.key)}:null;i.set(a,{names:[a],label:c?`${c.query} → ${c.key}, ${s}`:s,title:c?e(`off.edge`,c):e(`off.head`,{where:s})})}}return[...i.values()]}function _o(e,t,{axes:n,taps:r}){let i=new Map;for(let a of t){let t=oo(a),o=r.find(e=>t?.tap?e.name===t.tap:e.kind===`cross`);if(!t||!o){i.set(a,{names:[a],label:a,title:a});continue}let[s,c]=[vo(n,o.queries,t.query+1),vo(n,o.keys,t.key)],l=t.tap?` ${un(e,o)}${t.head===null?``:`, ${dn(e,t.head)}`}`:``,u=`${s.first} ${c.first}${l}`,d=i.get(u);d?d.names.push(a):i.set(u,{names:[a],label:`${s.label} → ${c.label}${l&&`,${l}`}`,title:e(`off.look`,{query:s.label,key:c.label,where:l.trim()||e(`off.everywhere`)})})}return[...i.values()]}function vo(e,t,n){let{words:r=null,tokens:i=[]}=e[t]??{},[a,o]=r?.find(([e,t])=>n>=e&&n<t)??[n,n+1];if(a>=i.length)return{first:a,label:`</s>`};let s=Xn(Array.from({length:o-a},(n,r)=>yo(e,t,a+r,r>0).replace(/^-(?=.)/,``)));return{first:a,label:ar(s)?s:s.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu,``)||s}}function yo(e,t,n,r=!1){let i=e[t]?.tokens??[];if(n>=i.length)return`position ${n}`;let a=or(i,n,Y(i.slice(0,1e3)));return r?a:a.replace(/^-(?=.)/,``)}var bo=e=>e===null?`all`:String(e),xo=e=>e.split(`,`).filter(Boolean).map(Number).filter(Number.isFinite),So=e=>xo(e).filter(e=>Number.isInteger(e)&&e>=0),Co=(e,t)=>({initial:e,write:e=>e===void 0?null:bo(e),read:n=>[...t.filter(e=>bo(e)===n),e][0]}),wo={initial:!1,write:e=>e?`1`:null,read:e=>e===`1`},To=e=>({initial:e,write:e=>e??null,read:e=>e}),Eo=e=>({initial:e,write:e=>e==null?null:String(e),read:t=>/^\d+$/.test(t)?Number(t):e}),Do={...Eo(void 0),read:e=>xo(e)[0]},Oo={initial:0,write:String,read:e=>e===`mean`?e:So(e)[0]??0};function ko(e,t){return{initial:t,write:e=>Array.isArray(e)&&e.length?e.join(`,`):null,read:n=>e(n).length?e(n):t}}var Ao=e=>ko(So,e),jo=(e,t)=>ko(t=>t.split(`,`).filter(e),t),Mo=(e,t,n,r,i=0,a=!0)=>({initial:r,write:e=>e===r?null:t(e).join(`,`),read:t=>{let o=xo(t);return o.length===e&&o.every(e=>e>=i&&(!a||Number.isInteger(e)))?n(o):r}});function No(e,t,n,r=``){for(let[i,{param:a=i,initial:o,write:s}]of Object.entries(e)){let e=i in t&&t[i]!==void 0?s(t[i]):null;e!==null&&e!==s(o)&&n.set(r+a,e)}}function Po(e,t,n=``){let r=Object.entries(e).map(([e,{param:r=e,initial:i,read:a}])=>{let o=t.get(n+r);return[e,o===null?i:a(o)]});return Object.fromEntries(r.filter(([,e])=>e!==void 0))}var Fo={score:`scaled_dot`,head_dim:null,heads:1,mask:`none`,window:1,temperature:1,positions:!1,projections:`none`,layer:0,head:0,swap:[1,-1],step:0,top_k:null,top_p:1,moment:0,struck:[]},Io={score:[`dot`,`scaled_dot`,`cosine`,`gaussian`,`average`],head_dim:[2,4,8,16,null],heads:[1,2,4,8],mask:[`none`,`causal`,`window`],window:[0,1,2,3,4],positions:[!1,!0],projections:[`trained`,`random`,`none`],layer:[0,1,2,3,4,5],head:[0,1,2,3],top_k:[1,2,5,10,null],top_p:[.5,.8,.9,.95,1]},Lo=[.125,.25,.5,1,2,4,8],Ro=/[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*|\p{Extended_Pictographic}[\p{M}\u{1F3FB}-\u{1F3FF}]*(?:\u200D\p{Extended_Pictographic}[\p{M}\u{1F3FB}-\u{1F3FF}]*)*/gu;function zo(e){return e.match(Ro)??[]}function Bo([e,t],n){let r=e=>Math.min(n-1,e<0?n+e:e);return[Math.max(0,r(e)),Math.max(0,r(t))]}function Vo(e,t){let[n,r]=Bo(e,t),i=Array.from({length:t},(e,t)=>t);return[i[n],i[r]]=[r,n],t?i:[]}function Ho(e,t){let n=zo(e);return Vo(t,n.length).map(e=>n[e]).join(` `)}function Uo(e){return e.reduce((t,n,r)=>[...n].length>=[...e[t]??``].length?r:t,0)}var Wo=[{name:`words`,starts:{head_dim:8},controls:[`head_dim`],geometry:!0},{name:`average`,starts:{score:`average`},controls:[]},{name:`alike`,starts:{score:`dot`},controls:[]},{name:`softmax`,starts:{score:`dot`,temperature:4},controls:[`temperature`]},{name:`scale`,starts:{},controls:[`head_dim`],beside:`unscaled`},{name:`qkv`,starts:{projections:`trained`,layer:3,head:2,head_dim:2},controls:[`projections`,`layer`,`head`,`head_dim`],geometry:!0},{name:`heads`,starts:{projections:`trained`,layer:1,heads:4,temperature:.5},controls:[`projections`,`layer`,`heads`]},{name:`order`,starts:{temperature:4},controls:[`positions`,`swap`],beside:`swapped`},{name:`masks`,starts:{mask:`causal`,temperature:4},controls:[`mask`,`window`]},{name:`similarity`,starts:{score:`cosine`,temperature:.25},controls:[`score`,`temperature`]},{name:`block`,starts:{},controls:[`layer`],own:!0},{name:`layers`,starts:{},controls:[],own:!0},{name:`cross`,starts:{layer:1,step:2},controls:[`layer`,`step`],own:!0},{name:`next`,starts:{step:1},controls:[`temperature`,`top_k`,`top_p`,`step`],own:!0},{name:`training`,starts:{},controls:[`moment`],own:!0},{name:`yours`,starts:{},controls:[`struck`],own:!0}];function Go(e){return Wo.find(t=>t.name===e)}function Ko(e){return Wo.indexOf(e)>=Wo.indexOf(Go(`qkv`))}function qo(e,t){let n=Object.fromEntries(Object.entries(t).filter(([t])=>e.controls.includes(t)));return{...Fo,...e.starts,...n}}function Jo(e,t,n,r){if(e.own)return[];let{projections:i,layer:a,head:o,swap:s,score:c,head_dim:l,heads:u,mask:d,window:f,temperature:p,positions:m}=qo(e,t),h=e.geometry?r:null;if(i===`trained`)return[{text:zo(n).join(` `),projections:i,layer:a,head:o,spotlight:h}];let g={text:n,projections:i,score:c,head_dim:l,heads:u,mask:d,window:f,temperature:p,positions:m,spotlight:h};return e.beside===`unscaled`?[{...g,score:`dot`},g]:e.beside===`swapped`?[g,{...g,text:Ho(n,s)}]:[g]}var Yo={text:{...To(null),param:`sentence`},spotlight:{...Eo(null),param:`word`}},Xo=Object.entries({...Io,temperature:Lo}).map(([e,t])=>[e,Co(void 0,t)]),Zo={...Object.fromEntries(Xo),swap:Mo(2,e=>e,([e,t])=>[e,t],void 0,-1),step:Eo(void 0),moment:Eo(void 0),struck:Ao(void 0)};function Qo(e,{lesson:t,chosen:n,...r}){e.set(`learn`,t),No(Yo,r,e),No(Zo,n,e)}function $o(e){let t=Wo.find(({name:t})=>t===e.get(`learn`))?.name;return t?{lesson:t,...Po(Yo,e),chosen:Po(Zo,e)}:null}var es=8,ts={view:Co(`map`,[`sentence`]),quantity:Co(`weight`,[`norm`,`score`]),scale:Co(`auto`,[`linear`,`log`,`row`]),group:Co(`token`,[`word`,`sentence`]),reduce:Co(`max`,[`mean`]),sinkless:wo,aligned:Co(`output`,[`input`]),pieces:Co(`word`,[`token`]),theme:Co(`system`,[`light`,`dark`]),language:Co(`en`,[`de`,`hi`]),tapName:{...To(``),param:`tap`},head:Oo,viewport:{...Mo(3,({row:e,column:t,columns:n})=>[e,t,n].map(ps),([e,t,n])=>({row:e,column:t,columns:Math.max(1,n)}),null,-1/0,!1),param:`at`},focus:Mo(2,({query:e,key:t})=>[e,t],([e,t])=>({query:e,key:t}),null),drawer:Co(``,[`cell`,`word`,`why`]),locked:Ao([]),step:Eo(null),heads:ko(e=>e.split(`,`).slice(0,es).map(e=>e?Oo.read(e):null),[]),drawn:{initial:null,write:e=>e?.join(`,`)??null,read:e=>e.split(`,`).filter(e=>oo(e))},against:Eo(null),measured:To(``),difference:wo},{theme:ns,language:rs}=ts,is={theme:ns,language:rs},as={target:To(void 0),hypothesis:{...Eo(void 0),write:e=>e?String(e):null},num_beams:{...Eo(void 0),param:`beams`},generate:Eo(void 0),temperature:Do,top_k:{...Eo(void 0),param:`top-k`},top_p:{...Do,param:`top-p`},seed:Eo(void 0),sentence:Eo(void 0),without:jo(so,void 0),looks:jo(e=>e.includes(`:`),void 0),forced_beginning:{...Ao(void 0),param:`begins`}},os=[`model`,`text`,`trace`,...Object.entries({...as,...is}).map(([e,t])=>`param`in t?t.param:e)],ss={...Po(ts,new URLSearchParams),trace:null,other:null,landing:!0,learn:null};function cs(e){let t=new URLSearchParams,{trace:n,other:r,learn:i}=e;return i?Qo(t,i):n&&us(t,``,n),No(i?is:ts,e,t),r&&!i&&(t.set(`other`,`${r.head},${r.tap}`),r.trace&&us(t,`other-`,r.trace)),t.toString().replaceAll(`%2C`,`,`).replaceAll(`%3A`,`:`).replaceAll(`%2F`,`/`)}function ls({text:e,target:t}){return e!==``&&e.length+(t?.length??0)<=2e3}function us(e,t,n){ls(n)?(e.set(`${t}model`,n.model),e.set(`${t}text`,n.text),No(as,n,e,t)):e.set(`${t}trace`,n.id)}function ds(e){let t=new URLSearchParams(e),n=$o(t);if(n)return{...ss,...Po(is,t),learn:n,landing:!1};let[r=``,i]=(t.get(`other`)??``).split(`,`),a=i?{head:Oo.read(r),tap:i,trace:fs(t,`other-`)}:null;return{...Po(ts,t),trace:fs(t,``),other:a,landing:[...t.keys()].every(e=>os.includes(e)),learn:n}}function fs(e,t){let[n,r,i]=[`model`,`text`,`trace`].map(n=>e.get(t+n)??``);return r||i||n?{model:n,text:r,id:i,...Po(as,e,t)}:null}var ps=e=>Number(e.toFixed(2));function ms(e,t){let n=({learn:e,drawn:t,...n})=>cs({...n,drawn:t&&[],viewport:null,focus:null,learn:e&&{...e,text:null,spotlight:null}});return n(e)!==n(t)}function hs(e){let t=V(null),n=Object.keys(ts),r=Object.fromEntries(n.map(e=>[e,V(ss[e])])),{theme:i,tapName:a}=r,o=V(!1);return{...r,source:e,models:V([]),begun:V(!1),trace:t,request:V(null),asked:new Map,draft:{model:V(``),text:V(``),options:V({})},typing:V(!1),busy:V(!1),asking:V(null),cancel:V(null),unanswered:V(null),error:V(null),tap:nt(()=>t.value?.taps.find(e=>e.name===a.value)??null),ends:V(null),home:V(null),painted:V(!1),hover:V(null),word:V(null),changed:V(null),toward:V(null),needs:V([]),about:V(null),ablation:V(null),ablated:V(null),ablating:V(!1),other:V(null),otherViewport:V(null),systemDark:o,dark:nt(()=>i.value===`system`?o.value:i.value===`dark`),help:V(!1),learn:V(null)}}var gs=({busy:e,typing:t})=>e.value&&!t.value;function _s(e){let t=(t,n)=>e.taps.filter(e=>e.side===t&&e.kind===n);return[t(`decoder`,`cross`),t(`decoder`,`self`),t(`encoder`,`self`)].find(e=>e.length)?.at(-1)??null}function vs(e,t,n){R(()=>{let r=e.tap.value;e.trace.value?.id!==t.id&&(e.painted.value=!1,e.word.value=null,e.drawn.value&&(e.drawn.value=[])),e.trace.value=t,e.request.value=n,e.error.value=null,e.ablation.value=null,e.hover.value=null,e.about.value=null,e.needs.value=[],e.changed.value=null,e.toward.value=null,e.tap.value||(e.tapName.value=_s(t)?.name??``);let i=e.tap.value;i&&(r&&(r.rows!==i.rows||r.columns!==i.columns)&&(e.viewport.value=null,e.focus.value=null,e.locked.value=[],e.step.value=null),bs(e,i))})}function ys(e,t,n){R(()=>{let r=e.tap.value;e.tapName.value=t.name,e.head.value=n,(r?.queries!==t.queries||r?.keys!==t.keys)&&(e.viewport.value=null,e.focus.value=null,e.locked.value=[]),(r?.name!==t.name||e.head.value!==n)&&(e.ends.value=null),bs(e,t)})}function bs(e,t){let n=e=>e===null||e===`mean`||e<t.heads;n(e.head.value)||(e.head.value=0),e.heads.value.every(n)&&e.heads.value.includes(e.head.value)||(e.heads.value=[]),t.quantities.includes(e.quantity.value)||(e.quantity.value=`weight`);let{group:r,focus:i,locked:a}=e,o=e.trace.value?.axes[t.queries];(r.value===`word`&&!o?.words||r.value===`sentence`&&!o?.sentences)&&(r.value=`token`),i.value&&(i.value.query>=t.rows||i.value.key>=t.columns)&&(i.value=null),a.value.some(e=>e>=t.rows)&&(a.value=a.value.filter(e=>e<t.rows));let s=e.trace.value?.generation?.steps.length??0;(e.step.value??0)>=s&&(e.step.value=null)}async function xs(e,t,{instead:n,arrive:r}={}){e.trace.value||(e.request.value=t);let i=new AbortController;e.cancel.value?.(),R(()=>{e.asking.value=t,e.unanswered.value=null,e.cancel.value=e.source.working||e.source.written?()=>i.abort():null}),await As(e,async()=>{let a=await Ss(e,t,i.signal),o=n?.(a),s=o?await Ss(e,o,i.signal):a;R(()=>{vs(e,s,o??t),r?.(s)})},()=>e.asking.value===t),e.source.connection?.lost.value&&(e.unanswered.value=t),e.asking.value===t&&R(()=>{e.asking.value=null,e.cancel.value=null})}async function Ss(e,t,n){let r=await e.source.trace(t,n);return e.asked.set(r.id,t),r}function Cs(e,t){let{value:n}=e.trace,r=e.request.value??(n&&{model:n.model,text:n.text});if(!r||!e.source.abilities.trace||r.target)return null;let{without:i,looks:a,forced_beginning:o,hypothesis:s,...c}=r;return t?{...c,...Object.fromEntries(Object.entries(t).filter(([,e])=>!Array.isArray(e)||e.length))}:s===void 0?c:{...c,hypothesis:s}}async function ws(e){let t=Cs(e);t&&await xs(e,t)}async function Ts(e,t,n){let r=e.trace.value?.generation?.steps.slice(0,t).map(e=>e.id??-1)??[],{without:i=[],looks:a=[]}=e.request.value??{},o=Cs(e,{without:i,looks:a.filter(e=>(oo(e)?.query??0)<t),forced_beginning:[...r,n]});o&&!r.includes(-1)&&(await xs(e,o),t<(e.trace.value?.generation?.steps.length??0)&&(e.step.value=t))}async function Es(e,t){let n=await e.source.openModel(t);return e.models.value=[...e.models.value.filter(e=>e.name!==n.name),n],n}async function Ds(e,t){await As(e,async()=>vs(e,await e.source.openFile(t),null))}async function Os(e,t){await As(e,async()=>vs(e,await ks(e,t),null))}async function ks(e,t){let n=await e.source.opened(t);return n.by_text&&e.source.abilities.trace&&e.asked.set(n.id,{model:n.model,text:n.text}),n}async function As(e,t,n=()=>!0){e.busy.value=!0,e.error.value=null;try{await t()}catch(t){t instanceof DOMException&&t.name===`AbortError`||(e.error.value=Fs(t))}finally{n()&&(e.busy.value=!1)}}function js(e,t,n){let r=e.trace.value,i=r?.generation;if(!i)return t.side===`decoder`?n:null;let a=n-(r.axes[i.axis]?.prompt??0)+1;return t.queries===i.axis&&a>=0&&a<i.steps.length?a:e.step.value}function Ms(e,t,n){let{value:r}=e.tap,i=e.head.value===`mean`?0:e.head.value;return r&&{what:t,tap:r.name,head:i,...n,step:js(e,r,n.query)}}async function Ns(e,t,n,r){let{value:i}=e.trace;if(i&&t&&i.can_ablate&&e.source.abilities.ablate){e.ablating.value=!0;try{let a=await e.source.ablate(i.id,t);await n,(r?.()??e.trace.value===i)&&R(()=>{e.ablation.value=a,e.ablated.value=t})}catch(t){await n,e.error.value=Fs(t)}finally{e.ablating.value=!1}}}async function Ps(e,t){try{return await t()}catch(t){return e.error.value=Fs(t),null}}function Fs(e){return e instanceof Error?e.message:String(e)}var Is=224,Ls=2e3;function Rs(e,t,n){return(e*2**20+t)*2**20+n}var zs=class{arrived;kept;layers=new Map;flights=[];wants=[];wantedOf=null;failed=new Map;clock=0;count=0;constructor(e,t=Is){this.arrived=e,this.kept=t}layer(e,t,n){let r=this.layers.get(e);return r||(r={key:e,shape:t,fetch:n,entries:new Map,extents:[]},this.layers.set(e,r)),r}get(e,t,n,r){let i=e.entries.get(Rs(t,n,r));return i&&(i.used=++this.clock),i}want(e,t){this.wants=t,this.wantedOf=e,this.flights=this.flights.filter(n=>n.layer===e&&t.some(e=>Vs(e,n.want))?!0:(n.abort.abort(),!1)),this.launch()}refusal(e,t,n,r){let i=this.failed.get(Hs(e,t,n,r));return i&&i.until>Date.now()?i.why:null}get pending(){return this.flights.length}close(){for(let{abort:e}of this.flights)e.abort();this.flights=[],this.wants=[];for(let e of this.layers.values())for(let t of e.entries.values())t.picture?.close();this.layers.clear()}launch(){let e=this.wantedOf;if(e)for(let t of this.wants){if(this.flights.length>=4)return;let n=e.entries.get(Rs(t.level,t.row,t.column));n&&n.every<=t.every||this.flights.some(n=>n.layer===e&&Vs(n.want,t))||this.refusal(e,t.level,t.row,t.column)||this.fly(e,t)}}async fly(e,t){let n={layer:e,want:t,abort:new AbortController};this.flights.push(n);try{let r=await e.fetch(Bs(t,e.shape),n.abort.signal);if(n.abort.signal.aborted)return;this.failed.delete(Hs(e,t.level,t.row,t.column)),this.keep(e,t,r)}catch(r){if(n.abort.signal.aborted)return;this.failed.set(Hs(e,t.level,t.row,t.column),{until:Date.now()+Ls,why:Fs(r)}),setTimeout(this.arrived,2050)}finally{this.flights=this.flights.filter(e=>e!==n)}this.launch(),this.arrived()}keep(e,t,n){let r=Rs(t.level,t.row,t.column),i=e.entries.get(r);if(i&&i.every<=t.every)return;i?.picture?.close();let a={...t,...n,used:++this.clock,picture:null,painted:-1,masked:!1,texts:null};e.entries.set(r,a),i||(this.count+=1),xn(e.extents[a.level]??=bn(),a.values),this.count>this.kept&&this.evict(r)}evict(e){let t=null;for(let n of this.layers.values())for(let[r,i]of n.entries)(r!==e||n!==this.wantedOf)&&(!t||i.used<t.entry.used)&&(t={layer:n,key:r,entry:i});t&&(t.entry.picture?.close(),t.layer.entries.delete(t.key),!t.layer.entries.size&&t.layer!==this.wantedOf&&this.layers.delete(t.layer.key),--this.count)}};function Bs(e,t){let n=e.row*256,r=e.column*256,[i,a]=[Math.min(256,kr(t.rows,e.level)-n),Math.min(256,kr(t.columns,e.level)-r)];return{...e,row:n,column:r,height:i,width:a}}function Vs(e,t){return e.level===t.level&&e.row===t.row&&e.column===t.column&&e.every===t.every}function Hs(e,t,n,r){return`${e.key} ${Rs(t,n,r)}`}var Us=typeof location==`object`&&new URLSearchParams(location.search).has(`perf`),Ws=class{parts;state;target;shown=V(null);ends;ctx;overlay;store=new zs(()=>this.changed(!0));layer;axes;layout={left:0,top:0,width:0,height:0};ratio=1;range={level:-1,firstRow:0,lastRow:0,firstColumn:0,lastColumn:0};palette=null;shading=new Na;hand;byKeyboard=!1;frame=0;stale=!0;stops=[];constructor(e,t,n){this.parts=e,this.state=t,this.target=n,this.ctx=e.canvas.getContext(`2d`,{alpha:!1}),this.overlay=new _i(e.overlay,e.live),this.hand=Qr(e.canvas,t,this),this.ends=n.difference?V(null):t.ends,Xi.set(e.canvas,t=>{let n=Vi(e.host,(...e)=>t.hatching(...e),this.differs,1);this.draw(t,n,1)});let r=new ResizeObserver(()=>this.resized());r.observe(e.host);let i=new MutationObserver(()=>this.recolor()),a=e.host.closest(`.regard`);a&&i.observe(a,{attributeFilter:[`data-theme`]}),this.stops.push(()=>r.disconnect(),()=>i.disconnect(),st(()=>this.turnTo()),st(()=>{t.viewport.value,this.ends.value,e.canvas.dataset.ready=`false`,this.changed()}),st(()=>void(t.hover.value,this.changed())),st(()=>void(t.focus.value,this.refocused())))}refocused(){this.byKeyboard=!this.hand.clicking(),this.byKeyboard&&this.hand.rest(),this.changed()}show(e){this.target=e,this.turnTo()}close(){cancelAnimationFrame(this.frame),this.hand.close();for(let e of this.stops)e();this.overlay.close(),this.store.close()}turnTo(){let{trace:e,tap:t,head:n,difference:r}=this.target,{source:i}=this.state,a=this.state.quantity.value,o=this.state.reduce.value,s=this.state.group.value;this.state.scale.value;let c=dr(e,t,s),l=[r?.key??`${e.id} ${t.name} ${n}`,a,o,s].join(` `),u={tap:t.name,head:n,quantity:a,reduce:o,group:s};this.axes=c,this.layer=this.store.layer(l,c.shape,(t,n)=>r?r.tile({...u,...t},n):i.tile(e.id,{...u,...t},n)),this.recolor(),this.measure()}recolor(){this.palette=null,this.parts.canvas.dataset.ready=`false`,this.changed(!0)}resized(){this.measure(),this.hand.rest(),this.stale=!0,this.paint()}measure(){let{host:e,canvas:t}=this.parts,[n,r]=[e.clientWidth,e.clientHeight];if(!n||!r||!this.ctx)return;this.ratio=Math.min(window.devicePixelRatio||1,3);let[i,a]=[Math.round(n*this.ratio),Math.round(r*this.ratio)];t.width!==i&&(t.width=i),t.height!==a&&(t.height=a);let{queries:o,keys:s}=this.axes,c=getComputedStyle(e);this.ctx.font=`${c.getPropertyValue(`--rg-size-s`)||`12px`} ${c.getPropertyValue(`--rg-font`)||`sans-serif`}`;let l=this.ctx.measureText(`query ${o.axis} ↓ `).width+28,u=ai(ii(this.ctx,o.length,e=>ui(o,e,this.both)),l,this.both?190:120),d=ai(ii(this.ctx,s.length,s.label),48,Math.min(110,r/4));this.layout={left:u,top:d,width:Math.max(1,n-u),height:Math.max(1,r-d)},Mr(this.state,this.layout,this.axes);let f=this.parts.host.parentElement.style;f.setProperty(`--rg-map-left`,`${u}px`),f.setProperty(`--rg-map-top`,`${d}px`)}get both(){return this.parts.host.clientWidth>=640}changed(e=!1){this.stale||=e,this.frame||=requestAnimationFrame(()=>{this.frame=0,Us&&performance.mark(`rg-frame-start`),this.paint(),Us&&performance.measure(`rg-frame`,`rg-frame-start`)})}get view(){return vr(this.state.viewport.peek(),this.axes.shape,this.layout)}get level(){return this.range.level}get differs(){return this.target.difference!==null}paint(){let{layout:e,ratio:t,layer:n,ctx:r}=this;if(e.width<=1||!this.parts.canvas.isConnected)return;let i=this.view;this.palette??=this.fresh(),this.replan(i);let{range:a,palette:o}=this;r.setTransform(1,0,0,1,0,0),r.fillStyle=o.background,r.fillRect(0,0,this.parts.canvas.width,this.parts.canvas.height);let s=this.draw(r,o,t);n.entries.size&&(this.state.painted.value=!0,this.mark(s,a.level)),this.point(i)}draw(e,t,n){let{layer:r,store:i,range:a,view:o,layout:s,axes:c}=this,{by:l,version:u,bands:d}=this.shading,f=Di(e,{layer:r,store:i,range:a,view:o,layout:s,ratio:n,palette:t,quantity:this.state.quantity.peek(),coloring:l,colors:u,bands:d});return e.save(),e.scale(n,n),ci(e,s,o,c.queries,t,this.both),li(e,s,o,c.keys,t),e.restore(),f}fresh(){return this.shading.forget(),Vi(this.parts.host,(...e)=>Wi(this.ctx,...e),this.differs,this.ratio)}replan(e){let{layer:t,store:n,range:r,axes:i,layout:a}=this,o=Tr(e.cell,this.ratio,i.shape),{level:s,firstRow:c,lastRow:l,firstColumn:u,lastColumn:d}=r;Dr(e,o,i.shape,a,r);let f=o!==s||c!==r.firstRow||l!==r.lastRow||u!==r.firstColumn||d!==r.lastColumn||this.stale;f&&(this.stale=!1,n.want(t,la(r,i.shape,i.queries.grouped,(e,r,i)=>n.get(t,e,r,i)?.every??1/0,(e,r,i)=>n.refusal(t,e,r,i)!==null)));let{scale:p,quantity:m,reduce:h}=this.state,g={scale:p.peek(),quantity:m.peek(),reduce:h.peek(),ends:this.ends.peek(),difference:this.differs,causal:this.target.tap.causal};f&&this.shading.measure(n,t,r,g),(this.shading.follow(t,o,g)||f)&&this.tell()}tell(){let{range:e,layer:t,store:n,palette:r}=this,{by:i,whole:a}=this.shading;if(!r||!i||!a)return;let o=1,s=null;for(let[r,i]of Or(e)){let a=n.get(t,e.level,r,i);a?o=Math.max(o,a.every):s??=n.refusal(t,e.level,r,i)}this.shown.value={coloring:i,whole:a,ramp:r.ramp,level:e.level,every:o,automatic:this.shading.automatic,highest:this.shading.highest,failure:s}}mark(e,t){let{dataset:n}=this.parts.canvas;n.ready!==String(e)&&(n.ready=String(e)),n.level!==String(t)&&(n.level=String(t))}point(e){let{axes:t,layout:n,state:r}=this,i=this.hand.here(),a=r.hover.peek(),o=r.focus.peek(),s=e=>({row:t.queries.of(e.query),column:t.keys.of(e.key)}),c=o&&s(o),l=a?i??s(a):c,u=l&&l.row>=0&&l.column>=0,d=a?i!==null:this.byKeyboard&&this.parts.canvas.matches(`:focus`),f=u?{reading:this.read(l.row,l.column),tip:d}:null,p={say:Bt(r.language.peek()),quantity:r.quantity.peek(),reduce:r.reduce.peek(),difference:this.differs};this.overlay.show(f,c&&c.row>=0&&c.column>=0?c:null,t,e,n,p)}read(e,t){let{layer:n,store:r,range:i}=this;for(let a=Math.max(0,i.level);a<=i.level+20;a++){let[i,o]=[Math.floor(e/2**a),Math.floor(t/2**a)],s=r.get(n,a,Math.floor(i/256),Math.floor(o/256));if(!s)continue;let c=s.values[i%256*s.width+o%256]??null;return{level:a,row:e,column:t,value:c,every:s.every}}return{level:i.level,row:e,column:t,value:null,every:1}}};function Gs(e){let t=W(),{tap:n}=e;return!n.rows||!n.columns?q(`p`,{class:`rg-notice--empty`,children:t(`map.empty`)}):q(Ks,{...e})}function Ks({state:e,trace:t,tap:n,head:r,label:i,difference:a=null}){let o=W(),s=I(null),c=I(null),l=I(null),u=I(null),[d,f]=De(null),p=e.group.value,{queries:m,keys:h}=L(()=>dr(t,n,p),[t,n,p]);F(()=>{let i=new Ws({host:s.current,canvas:c.current,overlay:l.current,live:u.current},e,{trace:t,tap:n,head:r,difference:a});return f(i),()=>i.close()},[e]),F(()=>d?.show({trace:t,tap:n,head:r,difference:a}),[d,t,n,r,a?.key]);let g=o(`map.says`,{quantity:hn({say:o,quantity:e.quantity.value,difference:a!==null}),title:i??`${n.name}, ${dn(o,r)}`,rows:`${cn(m.length)} (${fn(o,n.queries)})`,columns:`${cn(h.length)} (${fn(o,n.keys)})`,units:o(`group.${m.grouped||h.grouped?p:`token`}`)});return q(`figure`,{class:`rg-map`,children:[i&&q(`figcaption`,{class:`rg-map__label`,children:i}),q(`div`,{class:`rg-map__host`,ref:s,children:[q(`canvas`,{class:`rg-map__canvas`,ref:c,tabIndex:0,role:`application`,"aria-roledescription":o(`map.role`),"aria-label":g,"data-ready":`false`}),q(`span`,{class:`rg-map__axis rg-note`,"aria-hidden":`true`,children:[o(`key`),` `,q(`i`,{children:fn(o,n.keys)}),` →`,q(`br`,{}),o(`query`),` `,q(`i`,{children:fn(o,n.queries)}),` ↓`]}),q(`div`,{class:`rg-map__overlay`,ref:l,"aria-hidden":`true`}),q(`div`,{class:`rg-unseen`,ref:u,"aria-live":`polite`})]}),d&&q(Hn,{state:e,screen:d,difference:a!==null})]})}function qs(e,t){return e.tap.rows===t.tap.rows&&e.tap.columns===t.tap.columns}function Js(e,t){let n=n=>{let[r,i]=[e.trace.axes[e.tap[n]]?.tokens,t.trace.axes[t.tap[n]]?.tokens];return r===i||r?.length===i?.length&&r?.every((e,t)=>e===i?.[t])};return!!(n(`queries`)&&n(`keys`))}function Ys(e,t,n){if(qs(t,n))return null;let r=({tap:e})=>`${e.rows.toLocaleString(`en`)} × ${e.columns.toLocaleString(`en`)}`;return e(`compare.shapes`,{one:r(t),other:r(n)})}function Xs(e,t){return[[`model`,e.trace.model!==t.trace.model],[`text`,e.trace.text!==t.trace.text],[`layer`,e.tap.name!==t.tap.name],[`head`,e.head!==t.head]].filter(([,e])=>e).map(([e])=>e)}function Zs(e,t){let n=e.some(({tap:e})=>ba(e.rows,e.columns));return t===`linear`||t===`auto`&&!n}var Qs=256,$s=1e-9;async function ec(e,t,n,r){let i=await Promise.all(t.map(({trace:t,tap:i,head:a})=>{let o=Math.max(0,Math.ceil(Math.log2(Math.max(i.rows,i.columns)/Qs))),s={tap:i.name,head:a,level:o,row:0,column:0,height:Qs,width:Qs};return e.tile(t.id,{...s,quantity:n,reduce:`max`,group:`token`,every:2**o},r)})),a=n===`score`?bn():{low:0,high:0};for(let{values:e}of i)xn(a,e);return a.high-a.low>$s?[a.low,a.high]:null}function tc(e,t,n){let r=({trace:e,tap:t,head:n})=>`${e.id} ${t.name} ${n}`;return{key:`${r(t)} − ${r(n)}`,async tile(r,i){let a=({trace:t,tap:n,head:a})=>e.tile(t.id,{...r,tap:n.name,head:a},i);return nc(...await Promise.all([a(t),a(n)]))}}}function nc(e,t){if(e.height!==t.height||e.width!==t.width)throw Error(`A difference needs two maps of the same shape; these tiles are ${e.height} × ${e.width} and ${t.height} × ${t.width}.`);return{values:e.values.map((e,n)=>e-t.values[n]),height:e.height,width:e.width}}function rc({name:e,label:t=e,look:n=`chips`,options:r,value:i,disabled:a,onChoose:o}){let s=t&&q(`span`,{class:`rg-choice__name rg-note`,children:t});return n===`list`?q(`label`,{class:`rg-choice`,title:e,children:[s,q(`select`,{class:`rg-select`,"aria-label":e,value:i,disabled:a,onChange:({currentTarget:e})=>o(r[e.selectedIndex][0]),children:r.map(([e,t])=>q(`option`,{value:e,selected:e===i,children:t},e))})]}):q(`div`,{class:`rg-choice rg-choice--${n}`,role:`group`,"aria-label":e,children:[s,r.map(([e,t,n])=>q(`button`,{type:`button`,class:`rg-choice__one`,"aria-pressed":e===i,title:n,disabled:a,onClick:()=>o(e),children:t},e))]})}var ic=e=>e.replace(/[.*+?^$()|[\]\\]/g,`\\$&`),ac=Object.entries(Mt).filter(([e])=>/^(server|page)\./.test(e)).map(([e,[t]])=>({key:e,names:[...t.matchAll(/\{(\w+)\}/g)].map(([,e])=>e),pattern:RegExp(`^${ic(t).replace(/\{\w+\}/g,`(.+?)`)}$`,`is`)})),oc=e=>e.startsWith(`the text seems to be in another language`);function sc(e,t){let n=t.replace(/, another model, or (?:force=True|"force": true)\./,`, or choose another model.`);for(let{key:t,names:r,pattern:i}of ac){let a=i.exec(n);if(a)return e(t,Object.fromEntries(r.map((e,t)=>[e,a[t+1]])))}return n}function Z(e,t){let n=W(),[r,i]=De({value:null,error:null,key:null});F(()=>{if(e===null)return;let n=new AbortController;return t(n.signal).then(t=>{n.signal.aborted||i({value:t,error:null,key:e})},t=>{n.signal.aborted||i(({value:n})=>({value:n,error:Fs(t),key:e}))}),()=>n.abort()},[e]);let a=r.key===e,o=a&&r.error!==null?sc(n,r.error):null;return{value:r.value,now:a&&o===null?r.value:null,loading:e!==null&&!a,error:o}}function cc(){return new Promise(e=>requestAnimationFrame(()=>setTimeout(e)))}function lc({state:e,first:t,second:n}){let r=W(),i=e.difference,a=L(()=>{let t=()=>V(null);return{...e,ends:t(),home:t()}},[e]),o=L(()=>({...a,viewport:e.otherViewport,trace:V(null),tap:V(null),focus:V(null),hover:V(null),drawer:V(``)}),[a]);F(()=>{o.trace.value=n.trace,o.tap.value=n.tap,o.viewport.value=null,o.focus.value=null},[n.trace.id,n.tap.name]);let s=e.quantity.value,c=Zs([t,n],e.scale.value),l=[t,n].map(({trace:e,tap:t,head:n})=>[e.id,t.name,n]),u=Z(c?JSON.stringify([l,s]):null,r=>ec(e.source,[t,n],s,r));F(()=>{a.home.value=a.ends.value=c?u.value:null},[a,c,u.value]);let d=Ys(r,t,n),f=qs(t,n),p=Xs(t,n),m=i.value&&!d,h=e=>`${un(r,e.tap)}, ${dn(r,e.head)}`,g=e=>{let t=[h(e)];return p.includes(`model`)&&t.push(e.trace.model),p.includes(`text`)&&t.push(`“${uc(e.trace.text)}”`),t.join(` · `)},_=[p.length?r(`compare.differ`,{parts:p.map(e=>r(e)).join(r(`said.and`))}):r(`compare.same`),...p.length&&f&&!Js(t,n)?[r(`compare.tokens`)]:[],...i.value&&d?[d]:[],...m?[]:[r(a.ends.value?`compare.one`:`compare.own`)]];return q(`section`,{class:`rg-views rg-compare`,"aria-label":r(`compare`),children:[q(`header`,{class:`rg-row rg-views__head`,children:[q(rc,{name:r(`compare.show`),options:[[`beside`,r(`compare.beside`)],[`difference`,r(`compare.difference`),d??r(`compare.minus`)]],value:i.value?`difference`:`beside`,onChoose:e=>i.value=e===`difference`}),q(`p`,{class:`rg-note`,children:_.join(`; `)})]}),m?q(`div`,{class:`rg-compare__panes`,children:q(Gs,{state:e,...t,difference:tc(e.source,t,n),label:`${g(t)} − ${g(n)}`})}):q(`div`,{class:`rg-compare__panes`,children:[q(Gs,{state:a,...t,label:g(t)}),q(Gs,{state:f?a:o,...n,label:g(n)},f?`shared`:`own`)]})]})}function uc(e){return e.length>48?`${e.slice(0,47)}…`:e}var dc=40,fc=22,pc=12,mc=9,hc=({start:e,end:t})=>(e+t)/2;function gc(e,t){return t*fc<=e?Math.min(dc,e/t):28}function _c(e,t,n,r){let i=Math.max(0,Math.floor(e/n)-pc);return[Math.min(i,r),Math.min(r,Math.ceil((e+t)/n)+pc)]}function vc(e,t,n,r=3*t){let i=e.reduce((e,t)=>e+t,0),a=Math.max(1,e.length-1),o=Math.min(r,Math.max(t,(n-i)/a)),s=Math.max(0,(n-i-o*(e.length-1))/2);return e.map(e=>{let t={start:s,end:s+e};return s=t.end+o,t})}function yc(e,t){return e.reduce((e,t)=>e+t,0)+t*Math.max(0,e.length-1)}function bc(e,t,n,r=!1){let i=wc(n/2),a=[[0,e],[i,e],[i,t],[n,t]].map(e=>(r?e.reverse():e).map(wc).join(` `));return`M${a[0]}C${a.slice(1).join(` `)}`}function xc(e,t,n,r){let i=Sc(t>0?r/t:0),a=null,o=mc;for(let t of e){let e=Math.max(0,Math.abs(t.from+(t.to-t.from)*i-n)-t.width/2);(e<o||e===o&&a&&t.value>a.value)&&([a,o]=[t,e])}return a}function Sc(e){let[t,n]=[0,1];for(let r=0;r<20;r++){let r=(t+n)/2;1.5*r*(1-r)+r**3<e?t=r:n=r}return t*t*(3-2*t)}function Cc(e,t,n){let r=wc(e/2),i=(hc(t)+hc(n))/2,a=.12*(t.end-t.start+n.end-n.start),[o,s]=[wc(i-a),wc(i+a)];return`M0 ${wc(t.start)}Q${r} ${o} ${wc(e)} ${wc(n.start)}L${wc(e)} ${wc(n.end)}Q${r} ${s} 0 ${wc(t.end)}Z`}var wc=e=>Math.round(e*10)/10,Tc=10,Ec=(e,{side:t,index:n})=>e.some(e=>e.side===t&&e.index===n);function Dc(e){let{sides:t,down:n,depth:r,column:i,first:a=i,length:o,edge:s=0,strands:c,active:l,locked:u}=e,d=I(null),f=H({query:0,key:0}),p=H(null),m=({side:e,name:t,units:n},r)=>{f.value={...f.value,[e]:Math.max(0,Math.min(n.length-1,r))},requestAnimationFrame(()=>d.current?.querySelector(`[data-word="${t} ${f.value[e]}"]`)?.focus())},h=(r,i)=>{let a=f.value[i.side],o=()=>{let e=i===t[0]?t[1]:t[0];m(e,Math.min(n?a:f.value[e.side],e.units.length-1))},[s,c,...l]=n?[`ArrowLeft`,`ArrowRight`,`ArrowUp`,`ArrowDown`]:[`ArrowUp`,`ArrowDown`,`ArrowLeft`,`ArrowRight`],u={[s]:()=>m(i,a-1),[c]:()=>m(i,a+1),PageUp:()=>m(i,a-Tc),PageDown:()=>m(i,a+Tc),Home:()=>m(i,0),End:()=>m(i,i.units.length-1),l:()=>e.onLock({side:i.side,index:a}),Escape:e.onRelease},d=l.includes(r.key)?o:u[r.key];!d||r.ctrlKey||r.metaKey||r.altKey||(r.preventDefault(),r.stopPropagation(),d())},g=t=>{let i=t.currentTarget.getBoundingClientRect(),[a,o]=[t.clientX-i.left,t.clientY-i.top],s=xc(c,r,n?a:o,n?o:a);return(s?.query!==p.value?.strand.query||s?.key!==p.value?.strand.key)&&e.onPoint?.(s),p.value=s&&{strand:s,x:a,y:o},s},_=()=>{p.value=null,e.onPoint?.(null)},v=e=>bc(e.from,e.to,r,n),y=p.value&&c.includes(p.value.strand)?p.value:null,[b,x]=y?e.describe(y.strand):[``,``],[S,C]=n?[o,r]:[r,o],w=(e,{start:t,end:o})=>{let c=s+(e?a+r:0),[l,u]=[o-t,e?i:a];return n?{left:`${t}px`,top:`${c}px`,width:`${l}px`,height:`${u}px`}:{left:`${c}px`,top:`${t}px`,width:`${u}px`,height:`${l}px`}},T=n?{left:0,top:`${s+a}px`}:{left:`${s+a}px`,top:0},E=2*s+a+i+r,D=(n,r)=>{let i=n.units[r],a=n.extents[r];if(!i||!a)return null;let o={side:n.side,index:r},s=e.look(o),c=Ec(u,o),d=Ec(l,o),p=[`rg-word`,n===t[0]?`rg-word--first`:`rg-word--second`,...s.classes??[]];return d&&p.push(`rg-word--active`),c&&p.push(`rg-word--locked`),i.special&&p.push(`rg-word--special`),l.length&&!d&&!s.number&&p.push(`rg-word--quiet`),q(`li`,{style:w(n===t[1],a),children:[q(`button`,{type:`button`,class:p.join(` `),"data-word":`${n.name} ${r}`,tabIndex:r===f.value[n.side]?0:-1,"aria-pressed":c,"aria-label":`${n.name} ${i.first}: ${[i.label,s.number,s.says].filter(Boolean).join(`, `)}`,title:s.title??(i.title===i.label?void 0:i.title),style:{"--share":s.share??0,"--sure":(s.sure??1).toFixed(2),"--line":`var(--rg-head-${s.color??0})`},onPointerEnter:()=>e.onHover(o),onFocus:()=>{f.value={...f.value,[n.side]:r},e.onHover(o)},onClick:()=>e.onLock(o),...s.attributes,children:[q(`span`,{class:`rg-word__label`,children:s.label??i.label}),s.number?q(`span`,{class:`rg-word__number rg-number`,children:s.number}):s.aside&&!l.length&&q(`span`,{class:`rg-word__aside rg-note rg-number`,children:s.aside})]}),s.after]},e.name?.(o)??r)};return q(`div`,{ref:d,class:`rg-links rg-links--${n?`lines`:`columns`}`,style:{fontSize:e.font&&`${e.font}px`,width:`${n?o:E}px`,height:`${n?E:o}px`},onPointerLeave:()=>e.onHover(null),onFocusOut:t=>{t.currentTarget.contains(t.relatedTarget)||e.onHover(null)},children:[q(`svg`,{"aria-hidden":`true`,class:`rg-links__lines${y?` rg-links__lines--pointed`:``}`,width:S,height:C,style:T,onPointerMove:g,onPointerLeave:_,onClick:t=>{let n=g(t);n&&e.onAsk(n)},children:[e.behind,c.map(t=>{let{color:n,opacity:r,look:i,name:a,cell:o}=e.paint(t);return q(`path`,{"data-cell":o,class:i,d:v(t),style:n&&{stroke:n},"stroke-width":t.width,"stroke-opacity":t===y?.strand?1:r},a)})]}),y&&q(`p`,{class:`rg-links__tip`,style:{left:`${(n?0:s+a)+Math.min(Math.max(y.x,60),S-60)}px`,top:`${(n?s+a:0)+y.y}px`},children:[b,q(`br`,{}),q(`span`,{class:`rg-note rg-number`,children:x})]}),t.map(e=>{let[t,n]=e.shown,r=f.value[e.side],i=Array.from({length:n-t},(e,n)=>t+n);return(r<t||r>=n)&&i.push(Math.min(r,e.units.length-1)),q(`ol`,{class:`rg-links__words`,"aria-label":e.name,onKeyDown:t=>h(t,e),children:i.map(t=>D(e,t))},e.side)}),e.children]})}function Oc({rows:e,inline:t,rest:n=0}){let r=W();return q(`ol`,{class:`rg-ranked${t?` rg-ranked--inline`:``}`,children:[e.map(({label:e,share:t,aside:n,own:r,title:i,onChoose:a},o)=>q(`li`,{children:q(a?`button`:`span`,{class:`rg-ranked__row rg-behind`,"aria-current":r?`true`:void 0,title:i,style:{"--part":`${Math.min(100,100*t)}%`},...a&&{type:`button`,onClick:a},children:[q(`span`,{class:`rg-cut`,children:e}),n!==void 0&&q(`span`,{class:`rg-note rg-number`,children:n}),q(`span`,{class:`rg-ranked__share rg-number`,children:K(t)})]})},o)),n>0&&q(`li`,{class:`rg-ranked__row rg-note`,children:[r(`next.rest`),` `,q(`span`,{class:`rg-ranked__share rg-number`,children:K(n)})]})]})}function kc({key:e,ctrlKey:t,metaKey:n,altKey:r},i,a,[o,s]=[`ArrowLeft`,`ArrowRight`]){let c={[o]:i-1,[s]:i+1,Home:0,End:a-1}[e];return c===void 0||!a||t||n||r?null:(c+a)%a}function Ac({name:e,words:t,chosen:n,look:r,part:i,titles:a,onChoose:o,onPoint:s}){return q(`div`,{class:`rg-words`,role:`radiogroup`,"aria-label":e,onKeyDown:e=>{let r=kc(e,n,t.length);r!==null&&(e.preventDefault(),e.stopPropagation(),o(r),e.currentTarget.querySelectorAll(`button`)[r]?.focus())},onPointerLeave:()=>s?.(null),children:t.map((e,t)=>q(`button`,{type:`button`,role:`radio`,class:`rg-words__word ${i?`rg-words__word--part`:``} ${r?.(t)??``}`,style:i&&{"--part":`${100*i(t)}%`},"aria-label":a?.(t),"aria-checked":t===n,tabIndex:t===n?0:-1,onPointerEnter:e=>e.pointerType===`mouse`&&s?.(t),onClick:()=>o(t),children:e},t))})}function jc(e,t){let n=e+t-1;return n>=0?n:null}function Mc(e){return e.reduce((t,n,r)=>n.probability<(e[t]?.probability??1)?r:t,0)}function Nc(e,t,n){let r={cross:0,self:1};return e.filter(e=>e.queries===t&&e.layer===n).sort((e,t)=>r[e.kind]-r[t.kind])}var Pc=({step:e},{steps:t})=>e.value??Mc(t);function Fc(e){if(e===null)return`−∞`;let t=e.toFixed(2);return(t===`-0.00`?`0.00`:t).replace(`-`,`−`)}function Ic(e){return e===null?`−∞, hidden by the mask`:(Math.abs(e)<1e-12?`0`:e.toPrecision(6)).replace(`e-`,`e−`).replace(/^-/,`−`)}function Lc(e,t){return{"data-says":`${e}: ${Ic(t)}`,"data-value":t===null?`-Infinity`:String(t)}}function Rc(e,t,n,r=Fc){return{title:e,look:`number`,cell:e=>r(n[e]??null),says:e=>Lc(t(e),n[e]??null)}}function zc(e,t,n,r){return{title:e,look:`share`,cell:e=>q(Vc,{value:n[e]??0,color:r}),says:e=>Lc(t(e),n[e]??0)}}function Bc(e,t,n,r){return{title:e,look:`strip`,cell:e=>q(Wc,{name:t(e),values:n[e]??[],most:r})}}function Vc({value:e,color:t,text:n=K(e)}){return q(`span`,{class:`rg-share`,children:[q(`span`,{class:`rg-track`,style:{"--part":`${100*e}%`,...t&&{"--line":t}}}),q(`span`,{class:`rg-share__number rg-number`,children:n})]})}function Hc({label:e,corner:t,words:n,columns:r,spotlight:i,look:a=``,row:o,before:s,foot:c,footSpan:l=1,onPoint:u,onChoose:d}){let f=e=>`rg-table__${e}${e===`number`?` rg-number`:``}`;return q(`table`,{class:`rg-table ${r.length>4?`rg-table--many `:``}${a}`,style:{"--columns":r.length},"aria-label":e,onPointerLeave:()=>u?.(null),children:[q(`thead`,{children:q(`tr`,{children:[s?.(`head`),q(`td`,{children:t}),r.map((e,t)=>q(`th`,{scope:`col`,class:`rg-table__${e.look}`,children:e.title},t))]})}),q(`tbody`,{children:n.map((e,t)=>q(`tr`,{class:`${t===i?`rg-table__row--lit `:``}${o?.(t)??``}`,children:[s?.(t),q(`th`,{scope:`row`,class:`rg-table__word`,onPointerEnter:()=>u?.(t),onClick:()=>d?.(t),children:e}),r.map((e,n)=>q(`td`,{class:f(e.look),...e.says?.(t),children:e.cell(t)},n))]},t))}),c&&q(`tfoot`,{children:q(`tr`,{children:[s?.(`foot`),q(`th`,{scope:`row`,colSpan:l,children:c}),r.map((e,t)=>q(`td`,{class:f(e.look),children:e.foot},t))]})})]})}function Uc({words:e,versions:t,spotlight:n,from:r,...i}){let a=W(),o=r??e[n]??``,s=t.flatMap(({title:t,scores:n,weights:r,color:i})=>{let s=zc(t,n=>`${o} → ${e[n]}: ${a(`weight`)}, ${t}`,r,i);return n?[Rc(a(`score`),n=>`${o} → ${e[n]}: ${t}`,n),s]:[s]});return q(Hc,{label:a(`where`,{word:o}),corner:a(`from`,{word:o}),words:e,columns:s,spotlight:n,...i})}function Wc({name:e,values:t,most:n}){let r=Ki();return q(`span`,{class:`rg-strip`,children:t.map((t,i)=>q(`span`,{class:`rg-strip__cell`,style:r(`signed`,t,n),...Lc(`${e}, number ${i+1}`,t)},i))})}function Gc({contributions:e}){let t=new Map,n=new Map,[r,i]=[{embedding:0,bias:0},[0]];for(let{kind:a,layer:o,tap:s,head:c,value:l}of e){if(a===`embedding`||a===`bias`)r[a]+=l;else if(a===`head`&&s!==null&&o!==null){let e=t.get(s)??{layer:o,kind:s.split(`.`).at(-1)??``,tap:s,heads:[],network:null};e.heads[c??0]=l,t.set(s,e)}else o!==null&&n.set(o,(n.get(o)??0)+l);a!==`embedding`&&a!==`bias`&&i.push(Math.abs(l))}let a=[...t.values()];for(let[e,t]of n){let n=a.filter(t=>t.layer===e).at(-1);n?n.network=t:a.push({layer:e,kind:``,tap:``,heads:[],network:t})}return a.sort((e,t)=>e.layer-t.layer),{rows:a,...r,largest:Math.max(...i)}}function Kc(e){let t=Math.abs(e).toFixed(2);return t===`0.00`?`0`:(e<0?`−`:`+`)+t}function qc(e){return e===null?`–`:e.toFixed(2).replace(`-`,`−`)}function Jc({state:e,trace:t,attribution:n,style:r}){let{rows:i,embedding:a,bias:o,largest:s}=Gc(n),c=W(),l=Math.max(...i.map(e=>e.heads.length),1),u=(n,r)=>{let i=t.taps.find(e=>e.name===n);i&&R(()=>{ys(e,i,r),e.view.value=`map`})},d=e=>({title:c(`head.n`,{head:e}),look:`number`,says:t=>Yc(i[t]?.heads[e],s),cell:t=>{let{layer:n,kind:r,tap:a,heads:o}=i[t],s=o[e];return s===void 0?null:q(`button`,{type:`button`,"aria-label":`${c(`layers.layer`,{layer:n})} ${c(`tap.${r}`)}, ${c(`head.n`,{head:e})}: ${Kc(s)}; ${c(`why.open`)}`,title:c(`why.open`),onClick:()=>u(a,e),children:Kc(s)})}}),f=J(n.token,r);return q(S,{children:[q(`div`,{class:`rg-why__scroll`,tabIndex:0,role:`region`,"aria-label":c(`why.grid`),children:q(Hc,{look:`rg-why__table`,label:c(`why.grid`),corner:c(`layer`),words:i.map(({layer:e,kind:t})=>`${e} ${t&&c(`tap.${t}`)}`),columns:[...Array.from({length:l},(e,t)=>d(t)),{title:c(`why.network`),look:`number`,cell:e=>i[e]?.network!=null&&Kc(i[e].network),says:e=>Yc(i[e]?.network,s)}],spotlight:-1})}),q(`p`,{class:`rg-note rg-number`,children:U(c(n.against===null?`why.logit`:`why.over`,{embedding:Kc(a),bias:Kc(o),word:f,against:J(n.against??``,r)}),{logit:q(`strong`,{children:Kc(n.logit)})})}),q(`p`,{class:`rg-note`,children:c(`why.add`)})]})}function Yc(e,t){let n=e!=null&&t>0?Math.round(40*Math.abs(e)/t):0;return{style:{background:`color-mix(in srgb, var(${(e??0)<0?`--rg-loss`:`--rg-gain`}) ${n}%, transparent)`}}}function Xc(e){let t=W(),n=Qc(e);return q(`section`,{class:`rg-stack`,"aria-label":t(`why`),children:[q(`h2`,{class:`rg-section`,children:t(`why.title`,{word:n})}),q(Zc,{...e}),q(el,{...e}),q(tl,{...e})]})}function Zc({state:e,trace:t,step:n,style:r}){let i=W(),a=rl(t),o=a.includes(e.measured.value)?e.measured.value:a[0]??``,s=t.generation?.axis,c=Z(JSON.stringify([t.id,n,o]),r=>e.source.measures(t.id,n,o,r)),l=({tokens:e})=>o===s?r:Y(e);return q(nl,{what:`tokens`,loaded:c,choice:a.length>1&&q(rc,{name:i(`why.axis`),options:a.map(e=>[e,e===s?i(`why.sofar`):fn(i,e)]),value:o,onChoose:t=>e.measured.value=t}),children:e=>q(S,{children:[q($c,{measures:e,word:Qc({trace:t,step:n,style:r}),style:l(e)}),q(ol,{measures:e,style:l(e)})]})})}function Qc({trace:e,step:t,style:n}){let r=J(e.generation?.steps[t]?.token??``,n),i=e.axes[e.generation?.axis??``],a=i&&Qa(i,jc(i.prompt,t)??-1,!0)?.label;return a&&a!==r&&a.includes(r.replace(/^-/,``))?`${r} (${a})`:r}function $c({measures:{tokens:e,measures:t},word:n,style:r}){let i=W(),a=t.find(e=>e.name===`hiding`)?.values??[],o=a.reduce((e,t,n)=>t<(a[e]??0)?n:e,0),s=Math.round(-100*(a[o]??0));return a.length?q(`p`,{children:U(i(s<1?`why.worthless`:`why.worth`,{points:s}),{without:q(`strong`,{children:or(e,o,r)}),word:q(`strong`,{children:n})})}):null}function el({state:e,trace:t,step:n,style:r}){return q(nl,{what:`lens`,loaded:Z(JSON.stringify([t.id,n]),r=>e.source.lens(t.id,n,r)),children:e=>q(al,{lens:e,style:r})})}function tl({state:e,trace:t,step:n,style:r}){let i=W(),a=t.generation?.steps[n],o=a?.candidates.filter(e=>e.id!=null&&e.token!==a.token)??[],s=e.against.value,c=o.some(e=>e.id===s)?s:null,l=Z(JSON.stringify([t.id,n,c]),r=>e.source.attribution(t.id,n,c,r)),u=[[-1,i(`why.alone`)],...o.map(e=>[e.id,J(e.token,r)])];return q(nl,{what:`heads`,loaded:l,choice:o.length>0&&q(rc,{name:i(`why.against`),options:u,value:c??-1,onChoose:t=>e.against.value=t<0?null:t}),children:n=>q(Jc,{state:e,trace:t,attribution:n,style:r})})}function nl({what:e,loaded:{value:t,loading:n,error:r},choice:i,children:a}){let o=W();return q(`section`,{class:`rg-stack rg-why__part`,"aria-label":o(`why.${e}`),"aria-busy":n,children:[q(`h3`,{class:`rg-section`,children:[o(`why.${e}`),` `,q(`span`,{class:`rg-note`,children:o(`why.${e}.note`)})]}),i,r&&q(`p`,{class:`rg-note rg-note--error`,role:`alert`,children:r}),!t&&!r&&q(`p`,{class:`rg-note`,role:`status`,children:o(`why.computing`,{what:o(`why.${e}`)})}),t&&a(t)]})}function rl(e){let t=e.taps.filter(t=>t.queries===e.generation?.axis),n=t.filter(e=>e.kind===`cross`);return[...new Set([...n,...t].map(e=>e.keys))]}var il=4;function al({lens:e,style:t}){let n=W(),r=J(e.token,t);return q(`ol`,{class:`rg-why__ladder`,children:e.layers.map(({layer:i,probability:a,rank:o,candidates:s})=>q(`li`,{class:`rg-why__rung`,children:[q(`span`,{class:`rg-note`,children:i===0?n(`why.embedding`):n(`why.after`,{layer:i-1})}),q(`span`,{class:`rg-why__likely`,children:[r,` `,q(`span`,{class:`rg-number`,children:n(`why.rank`,{share:K(a),rank:o.toLocaleString(`en`)})})]}),q(Oc,{inline:!0,rows:s.slice(0,il).map(n=>({label:J(n.token,t),share:n.probability,own:n.token===e.token}))})]},i))})}function ol({measures:{tokens:e,measures:t},style:n}){let r=W(),i=e=>e===`hiding`?`Δp`:r(e===`weight`||e===`norm`?e:`why.${e}`),a=t.map(({name:e,values:t,correlation:n})=>{let r=Math.max(...t.map(Math.abs))||1;return{title:q(`span`,{children:[i(e),e!==`hiding`&&q(`strong`,{class:`rg-number`,children:[` ρ `,qc(n)]})]}),look:`number`,cell:e=>sn(Number((t[e]??0).toPrecision(2))),says:e=>({class:`rg-number rg-behind${(t[e]??0)<0?` rg-behind--less`:``}`,style:{"--part":`${100*Math.abs(t[e]??0)/r}%`}})}});return q(S,{children:[q(`div`,{class:`rg-why__scroll`,tabIndex:0,role:`region`,"aria-label":r(`why.table`),children:q(Hc,{look:`rg-why__table`,label:r(`why.table`),corner:r(`group.token`),words:e.map((t,r)=>or(e,r,n)),columns:a,spotlight:-1})}),t.map(({name:e})=>q(`p`,{class:`rg-note`,children:[q(`b`,{children:i(e)}),`: `,r(`why.measure.${e}`)]},e)),q(`p`,{class:`rg-note`,children:r(`why.rho`)})]})}function sl({generation:e,busy:t,able:n,onChoose:r}){let i=W(),{hypotheses:a,shown:o}=e,s=Y(a.flatMap(e=>e.tokens)),c=ll(a,o);return q(`div`,{children:[q(`h3`,{class:`rg-section`,children:[i(`beam`,{count:a.length}),` `,q(`span`,{class:`rg-note`,"data-screen":!0,children:i(n?`steps.beam`:`beam.only`)})]}),q(`ul`,{children:q(cl,{branch:c,style:s,generation:e,busy:t,able:n,onChoose:r})})]})}function cl(e){let{branch:t,style:n,generation:r,busy:i,able:a,onChoose:o}=e,s=W(),{hypotheses:c,shown:l}=r,u=sr(t.tokens.filter(e=>!ar(e)),n);return q(`li`,{class:`rg-generation__branch${t.through.includes(l)?` rg-generation__branch--shown`:``}`,children:[(u||t.ends.length>0)&&q(`span`,{class:`rg-row`,children:[u&&q(`span`,{children:u}),t.ends.map(e=>{let t=c[e];if(!t)return null;let n=t.score===null?s(`beam.unscored`):t.score.toFixed(2).replace(`-`,`−`);return q(`button`,{type:`button`,class:`rg-chip`,"aria-pressed":e===l,disabled:i||!a&&e!==l,"aria-label":s(`beam.n`,{number:e+1,text:t.text,score:n}),title:t.text,onClick:()=>o(e),children:[q(`span`,{class:`rg-number`,children:n}),e===l&&` ${s(`beam.shown`)}`,!t.finished&&` ${s(`beam.cut`)}`]},e)})]}),t.branches.length>0&&q(`ul`,{children:t.branches.map(t=>q(cl,{...e,branch:t},t.through[0]))})]})}function ll(e,t){return ul(e.map((e,t)=>t).sort((e,n)=>Number(n===t)-Number(e===t)||e-n),e,0)}function ul(e,t,n){let r=e=>t[e]?.tokens??[],i=n,[a]=e,o=a===void 0?[]:r(a);for(;i<o.length&&e.every(e=>r(e)[i]===o[i]);)i++;let s=new Map;for(let t of e){let e=r(t)[i];e!==void 0&&s.set(e,[...s.get(e)??[],t])}return{tokens:o.slice(n,i),through:e,ends:e.filter(e=>r(e).length===i),branches:[...s.values()].map(e=>ul(e,t,i))}}var dl=120;function fl({state:e,trace:t,generation:n,why:r}){let i=W(),{steps:a,axis:o}=n,{prompt:s=0,tokens:c=[]}=t.axes[o]??{},l=Y(c),u=Pc(e,n),d=a[u],f=jc(s,u),p=Math.max(0,u-dl),m=a.slice(p,u+dl),h=(e.request.value?.forced_beginning?.length??0)-1,g=!e.busy.value&&Cs(e)!==null&&a.slice(0,u).every(e=>e.id!=null),_=t=>R(()=>{e.step.value=t;let n=jc(s,t);n!==null&&e.tap.value?.queries===o&&(e.locked.value=[n])});return q(`div`,{class:`rg-stack`,children:[q(`div`,{children:[q(Ac,{name:i(`steps`),words:m.map(({token:e})=>J(e,l)),chosen:u-p,part:e=>m[e]?.probability??0,titles:e=>`${i(`step.n`,{step:p+e+1})}: ${J(m[e]?.token??``,l)}, ${K(m[e]?.probability??0)}${p+e===h?`, ${i(`steps.forced`)}`:``}`,onChoose:e=>_(p+e)}),m.length<a.length&&q(`p`,{class:`rg-note`,children:i(`steps.of`,{first:p+1,last:p+m.length,count:a.length})})]}),r?q(Xc,{state:e,trace:t,step:u,style:l}):q(S,{children:[q(_l,{step:d,number:u+1,style:l,onForce:g?t=>void Ts(e,u,t):null}),f===null?q(`p`,{class:`rg-note`,children:i(`steps.first`)}):pl(e,t,o).map(n=>q(hl,{state:e,trace:t,tap:n,row:f},n.kind)),n.hypotheses.length>1&&q(sl,{generation:n,busy:e.busy.value,able:e.source.abilities.trace,onChoose:t=>void gl(e,t)})]})]})}function pl(e,{taps:t},n){let r=t.filter(e=>e.queries===n).map(e=>e.layer);return Nc(t,n,Math.min(e.tap.value?.layer??0,Math.max(...r)))}var ml=8;function hl({state:e,trace:t,tap:n,row:r}){let i=W(),{value:a}=e.head,o=a!==`mean`&&a>=n.heads?0:a,{value:s,error:c}=Z(JSON.stringify([t.id,n.name,o,r]),i=>e.source.looks(t.id,{tap:n.name,head:o,query:r,k:ml,quantity:`weight`},i)),l=Y(t.axes[n.keys]?.tokens.slice(0,1e3)??[]),u=t=>R(()=>{e.tapName.value=n.name,e.focus.value={query:r,key:t},e.drawer.value=`cell`});return q(`section`,{"aria-busy":!s&&!c,children:[q(`h3`,{class:`rg-section`,children:i(`steps.looked`,{where:fn(i,n.keys)})}),q(`p`,{class:`rg-note`,children:pn(i,`weight`,n,[o])}),c&&q(`p`,{class:`rg-note rg-note--error`,role:`alert`,children:c}),s&&q(Oc,{rest:s.rest,rows:s.looks.filter(({weight:e})=>e>0).map(({position:e,token:t,weight:n})=>({label:J(t,l),share:n,aside:e,onChoose:()=>u(e)}))})]})}async function gl(e,t){let n=e.trace.value;if(!n?.generation||n.generation.shown===t||e.busy.value)return;let{model:r,text:i,generation:a}=n;await xs(e,{...e.request.value??{model:r,text:i,num_beams:a.hypotheses.length},hypothesis:t}),e.trace.value!==n&&R(()=>{e.step.value=null,e.locked.value=[],e.focus.value=null})}function _l({step:e,number:t,style:n,onForce:r}){let i=W();return q(`div`,{children:[q(`h3`,{class:`rg-section`,children:[i(`steps.candidates`,{step:t}),` `,r&&q(`span`,{class:`rg-note`,"data-screen":!0,children:i(`steps.choose`)})]}),q(Oc,{rows:e.candidates.map(({token:t,probability:a,id:o})=>{let s=o==null?t===e.token:o===e.id,c=r&&!s&&o!=null;return{label:J(t,n),share:a,own:s,...c&&{title:i(`steps.force`),onChoose:()=>r(o)}}})}),!e.candidates.some(t=>t.token===e.token)&&q(`p`,{class:`rg-note`,children:[i(`steps.chosen`),`: `,J(e.token,n),` `,q(`span`,{class:`rg-number`,children:K(e.probability)})]})]})}var vl=e=>e.request.value?.without??[],yl=e=>e.request.value?.looks??[];function bl(e){return e.trace.value?.can_rewrite===!0&&Cs(e)!==null}async function xl(e,t,n){let r=Cs(e,{without:po(t),looks:[...n]});r&&await Sl(e,r)}async function Sl(e,t){let{value:n}=e.trace,[r,i,a]=[e.focus.value,e.step.value,e.word.value];await xs(e,t);let{value:o}=e.trace,{value:s}=e.tap;o!==n&&o&&R(()=>{e.changed.value=a,r&&s&&r.query<s.rows&&r.key<s.columns&&(e.focus.value=r),i!==null&&i<(o.generation?.steps.length??0)&&(e.step.value=i)})}var Cl=(e,t)=>xl(e,t,yl(e)),wl=(e,t,n)=>Zn(n).map(n=>lo(e.trace.value?.axes??{},t,n)),Tl=(e,t,n)=>Cl(e,[...vl(e),...wl(e,t,n)]);function El(e,t){let n=e=>e.filter(e=>!t.includes(e));return xl(e,n(vl(e)),n(yl(e)))}function Dl(e,t,n){let r=e.trace.value?.generation;if(!r)return null;let i=yl(e).filter(e=>(oo(e)?.query??0)<t),a=(e.request.value?.forced_beginning??[]).slice(0,t),o=r.shown?r.steps.slice(0,t).map(e=>e.id??-1):a;return Cs(e,{without:vl(e),looks:[...i,...n.map(e=>`${t}:${e}`)],forced_beginning:o})}async function Ol(e,t){let{value:n}=e.trace;if(!n||e.busy.value)return;let r=fo(t,n);if(vl(e).includes(r))return El(e,[r]);await Ns(e,t,Cl(e,[...vl(e),r]),()=>vl(e).includes(r))}function kl(e){let t=L(()=>Y(e?.tokens.slice(0,1e3)??[]),[e]);return e=>J(e,t)}function Al({state:e,trace:t,tap:n,cell:r}){let i=W(),a=kl(t.axes[n.keys]),o={query:r.query,key:r.key},s=[[`edge`,i(`drawer.edge`),i(`drawer.edge.title`)],[`head`,i(`head.n`,{head:r.head}),i(`drawer.head.title`)],[`token`,`“${a(r.key_token)}”`,i(`drawer.token.title`)]],c=kl(t.axes[t.generation?.axis??n.queries]),l=js(e,n,r.query),u=l===null?void 0:t.generation?.steps[l]?.token,d=bl(e),f=vl(e),p=n=>{let r=Ms(e,n,o);return r!==null&&f.includes(fo(r,t))},m=t=>{let n=Ms(e,t,o);(d&&n?Ol:Ns)(e,n)},h=e.ablation.value&&jl(e.ablated.value,n.name,r)?e.ablation.value:null;return q(`section`,{class:`rg-ablate`,"aria-label":i(`drawer.off`),children:[q(`h3`,{class:`rg-section`,children:[i(`drawer.off`),q(`span`,{class:`rg-note`,children:[` `,l===null?i(t.generation?`drawer.off.most`:t.labels?.length?`drawer.off.label`:`drawer.off.output`):i(`drawer.off.step`,{step:l+1,word:u===void 0?``:` “${c(u)}”`})]})]}),q(`div`,{class:`rg-row`,children:s.map(([t,n,r])=>q(`button`,{type:`button`,class:`rg-button`,title:d&&p(t)?i(`changed.back`):r,disabled:e.ablating.value||d&&e.busy.value,"aria-pressed":d?p(t):h?.what===t,onClick:()=>m(t),children:n},t))}),q(`p`,{class:`rg-note`,children:d?i(`drawer.written`):t.generation&&!e.source.abilities.trace?i(`drawer.elsewhere`):``}),q(`div`,{role:`status`,"aria-busy":e.ablating.value,children:h&&q(Ml,{answer:h,label:c,most:e.ablated.value?.step===null,before:d,ofLabel:!!t.labels?.length})})]})}function jl(e,t,n){return!e||e.tap!==t?!1:e.what===`token`?e.key===n.key:e.head===n.head&&(e.what===`head`||e.query===n.query&&e.key===n.key)}function Ml({answer:e,label:t,most:n,before:r,ofLabel:i}){let a=W(),o=Nl(e);return q(`div`,{class:`rg-change`,children:[q(`p`,{class:`rg-change__delta`,children:[q(`span`,{class:`rg-change__number rg-number`,style:{color:`var(--rg-${e.delta<0?`loss`:`gain`})`},children:[`Δ `,e.delta<0?``:`+`,G(e.delta)]}),q(`span`,{class:`rg-note rg-number`,children:[`p(“`,t(e.token),`”) `,G(e.before),` → `,G(e.after)]})]}),q(`p`,{class:`rg-note`,children:[i?a(`drawer.label`):a(`drawer.step`,{step:e.step+1}),r&&` ${a(`drawer.was`)}`,n&&!i&&`, ${a(`drawer.most`)}`]}),q(Oc,{rows:o.map(({token:n,before:r,after:i})=>({label:t(n),share:i??0,own:n===e.token,aside:`${r===null?`–`:K(r)} →`,title:a(`drawer.probability`)}))}),q(`p`,{class:`rg-note`,children:sc(a,e.note)})]})}function Nl(e,t=6){let n=(e,t)=>e.find(e=>e.token===t)?.probability??null,r=[e.token,...[...e.candidates_after,...e.candidates_before].map(e=>e.token)],i=[...new Set(r)].map(t=>({token:t,before:t===e.token?e.before:n(e.candidates_before,t),after:t===e.token?e.after:n(e.candidates_after,t)}));return i.sort((e,t)=>Math.max(t.before??0,t.after??0)-Math.max(e.before??0,e.after??0)),i.slice(0,t)}var Pl=5;function Fl({tap:e,cell:t}){let n=W(),r=Hl(t),i=t.score??-1/0,a=t.lse??-1/0,{products:o,others:s,rest:c}=Ul(t,Pl),l=Math.max(...o.map(e=>Math.abs(e.product)),1e-12);return q(`section`,{class:`rg-equation`,"aria-label":n(`equation`),children:[q(`p`,{class:`rg-equation__result`,children:[`α `,q(`output`,{class:`rg-number`,children:G(t.weight)})]}),q(`p`,{class:`rg-note rg-number`,children:[`α = softmax(`,e.score,`)`]}),q(`ol`,{class:`rg-steps`,children:[r&&q(S,{children:[q(Il,{name:`q·k`,says:q(S,{children:[`Σ q`,q(`sub`,{children:`i`}),` k`,q(`sub`,{children:`i`}),`, i < `,t.query_vector.length]}),value:r.dot,children:q(`ol`,{class:`rg-products`,children:[o.map(e=>q(Ll,{...e,most:l},e.index)),s>0&&q(`li`,{class:`rg-products__row`,children:[q(`span`,{class:`rg-products__rest`,children:n(`equation.others`,{count:s})}),q(`span`,{class:`rg-number`,children:Bl(c)})]})]})}),q(Il,{name:n(`equation.scale`),says:q(S,{children:[`× `,G(r.scale)]}),value:r.scaled}),r.bias!==null&&q(Il,{name:n(`equation.bias`),says:q(S,{children:[`+ `,G(r.bias)]}),value:r.biased}),r.capped&&q(Il,{name:n(`equation.cap`),says:n(`equation.capped`),value:i})]}),!r&&q(Il,{name:n(`score`),says:e.score,value:i}),q(Il,{name:n(`mask`),says:n(t.allowed?`equation.may`:`equation.not`),value:t.allowed?i:-1/0}),q(Il,{name:`lse`,says:n(`equation.lse`),value:a}),q(Il,{name:`α`,says:t.allowed&&Number.isFinite(a)?q(S,{children:[`exp(`,G(i),` − `,zl(a),`)`]}):`exp(−∞)`,value:t.weight,strong:!0}),t.value_norm!==null&&t.norm!==null&&q(Il,{name:n(`norm`),says:q(S,{children:[G(t.weight),` × `,G(t.value_norm),`: `,n(`quantity.norm`)]}),value:t.norm,strong:!0})]}),t.value_norm===null&&q(`p`,{class:`rg-note`,children:n(`equation.unknown`)})]})}function Il({name:e,says:t,value:n,strong:r=!1,children:i}){return q(`li`,{class:`rg-steps__step${r?` rg-steps__step--strong`:``}`,children:[q(`span`,{class:`rg-steps__name`,children:e}),q(`span`,{class:`rg-note rg-number`,children:t}),q(`span`,{class:`rg-steps__value rg-number`,children:G(n)}),i]})}function Ll({index:e,query:t,key_:n,product:r,most:i}){let a=`${100*Math.abs(r)/i}%`;return q(`li`,{class:`rg-products__row`,children:[q(`span`,{class:`rg-number`,children:e}),q(`span`,{class:`rg-products__factors rg-number`,children:[Rl(t),` × `,Rl(n)]}),q(`span`,{class:`rg-track${r<0?` rg-track--less`:``}`,style:{"--part":a},"aria-hidden":`true`}),q(`span`,{class:`rg-number`,children:Bl(r)})]})}var Rl=e=>e.toFixed(2).replace(`-`,`−`),zl=e=>e<0?`(${G(e)})`:G(e),Bl=e=>e<0?G(e):`+${G(e)}`,Vl=.001;function Hl(e){let{dot:t,scale:n,score:r,bias:i}=e;if(t===null||n===null)return null;let a=t*n,o=a+(i??0);return{dot:t,scale:n,scaled:a,bias:i,biased:o,capped:r!==null&&Math.abs(o-r)>Vl*Math.max(1,Math.abs(r))}}function Ul(e,t){let n=e.query_vector.map((t,n)=>{let r=e.key_vector[n]??0;return{index:n,query:t,key_:r,product:t*r}});n.sort((e,t)=>Math.abs(t.product)-Math.abs(e.product)||e.index-t.index);let r=n.slice(t).reduce((e,t)=>e+t.product,0);return{products:n.slice(0,t),others:Math.max(0,n.length-t),rest:r}}function Wl(e,t){return t.generation?.steps.length?e.source.abilities.why&&t.can_ablate?[`word`,`why`]:[`word`]:[]}function Gl(e){let[{value:t},{value:n}]=[e.drawer,e.trace];return!n||t===`cell`&&e.view.value===`sentence`&&!e.focus.value?``:!t||t===`cell`?t:Wl(e,n).find(e=>e===t)??Wl(e,n)[0]??``}function Kl({state:e,trace:t,face:n}){let r=W(),{generation:i}=t,a=r(`drawer.${n||`cell`}`);return q(`aside`,{class:`rg-drawer`,"aria-label":a,children:[q(`div`,{class:`rg-panel__head`,children:[q(`h2`,{class:`rg-panel__title`,children:a}),q(`button`,{type:`button`,class:`rg-button rg-button--bare`,title:r(`drawer.close.title`),onClick:()=>e.drawer.value=``,children:r(`drawer.close`)})]}),n===`cell`||!i?q(ql,{state:e,trace:t}):q(fl,{state:e,trace:t,generation:i,why:n===`why`})]})}function ql({state:e,trace:t}){let n=W(),r=e.tap.value,i=e.head.value,a=e.focus.value,{value:o,error:s}=Z(r&&a&&i!==`mean`?[t.id,r.name,i,a.query,a.key].join(` `):null,n=>e.source.cell(t.id,r?.name??``,i,a?.query??0,a?.key??0,n));return r?a?i===`mean`?q(Jl,{state:e,tap:r}):s?q(`p`,{class:`rg-note`,role:`alert`,children:s}):o?q(`div`,{class:`rg-drawer__body`,"aria-busy":o.tap!==r.name||o.head!==i||o.query!==a.query||o.key!==a.key,children:[q(Yl,{trace:t,tap:r,cell:o}),q(Fl,{tap:r,cell:o}),t.can_ablate&&e.source.abilities.ablate&&q(Al,{state:e,trace:t,tap:r,cell:o}),q(Xl,{state:e,trace:t,tap:r,cell:o})]}):q(`p`,{class:`rg-note`,role:`status`,children:n(`drawer.loading`)}):q(`p`,{class:`rg-note`,children:n(`drawer.click`)}):null}function Jl({state:e,tap:t}){let n=W();return q(`div`,{class:`rg-stack rg-note`,children:[q(`p`,{children:n(`drawer.mean`)}),q(rc,{name:n(`head`),options:Array.from({length:t.heads},(e,t)=>[t,dn(n,t)]),value:-1,onChoose:n=>ys(e,t,n)})]})}function Yl({trace:e,tap:t,cell:n}){let r=W(),i=kl(e.axes[t.queries]),a=kl(e.axes[t.keys]),o=e.axes[t.queries]?.predicts?.[n.query];return q(`div`,{class:`rg-pair`,children:[q(`div`,{class:`rg-pair__side`,children:[q(`div`,{class:`rg-note`,children:[r(`query`),` `,n.query]}),q(`div`,{class:`rg-token rg-token--query rg-cut`,children:i(n.query_token)}),o!==void 0&&q(`div`,{class:`rg-note`,children:r(`drawer.predicts`,{word:i(o)})})]}),q(`div`,{class:`rg-pair__side`,children:[q(`div`,{class:`rg-note`,children:[r(`key`),` `,n.key]}),q(`div`,{class:`rg-token rg-token--key rg-cut`,children:a(n.key_token)})]})]})}function Xl({state:e,trace:t,tap:n,cell:r}){let i=W(),a=kl(t.axes[n.queries]),o=kl(t.axes[n.keys]),s=(t,n,r)=>({position:i,token:a,weight:o})=>({label:n(a),share:o,aside:i,own:i===t,onChoose:()=>Lr(e,r(i))});return q(S,{children:[q(`section`,{"aria-labelledby":`rg-row-title`,children:[q(`h3`,{class:`rg-section`,id:`rg-row-title`,children:[i(`drawer.looks`,{word:a(r.query_token)}),q(`span`,{class:`rg-note`,children:[` `,i(`which.entropy`,{entropy:r.row_entropy.toFixed(2)})]})]}),q(Oc,{rows:r.row.map(s(r.key,o,e=>({query:r.query,key:e}))),rest:r.row_rest})]}),q(`section`,{"aria-labelledby":`rg-column-title`,children:[q(`h3`,{class:`rg-section`,id:`rg-column-title`,children:i(`drawer.looked`,{word:o(r.key_token)})}),q(Oc,{rows:r.column.map(s(r.query,a,e=>({query:e,key:r.key})))})]})]})}var Zl=3,Ql=12e3;function $l(e){return new Blob([e],{type:`image/svg+xml`})}async function eu(e){let t=URL.createObjectURL($l(e));try{let e=new Image;e.src=t,await e.decode();let n=Math.min(Zl,Ql/Math.max(e.width,e.height)),r=document.createElement(`canvas`);[r.width,r.height]=[Math.round(e.width*n),Math.round(e.height*n)],r.getContext(`2d`).drawImage(e,0,0,r.width,r.height);let i=await new Promise(e=>r.toBlob(e,`image/png`));if(!i)throw Error(`This browser could not make a PNG of the picture; save it as SVG.`);return i}finally{URL.revokeObjectURL(t)}}async function tu(e){try{await navigator.clipboard.write([new ClipboardItem({"image/png":e})])}catch{nu(e,`regard.png`)}}function nu(e,t){let n=document.createElement(`a`);n.href=URL.createObjectURL(e),n.download=t,n.click(),window.setTimeout(()=>URL.revokeObjectURL(n.href),1e4)}var ru=`select, input, [data-screen], [role=slider], .rg-unseen, .rg-choice, .rg-words__word[aria-checked=false], .rg-map__overlay, .rg-link, .rg-button, .rg-translation__strike`,iu=`.rg-flow__window`,au=16,ou=13,su=[`fill`,`fill-opacity`,`opacity`],cu=[`stroke`,`stroke-opacity`,`stroke-width`],lu=new Set([`fill`,`stroke`]),uu=/^(x|y|d)$/,du=[`Top`,`Right`,`Bottom`,`Left`];function fu(e,t){let[n,r]=[mu(),mu()],i=new pu(n,r,e.getBoundingClientRect());i.element(e);let{fontFamily:a,color:o}=getComputedStyle(e),[s,c,l]=[-16,i.right+au,i.bottom+au],[u,d]=[Math.ceil(c-s),Math.ceil(l- -42)],f=`x="${s}" y="-42" width="${u}" height="${d}"`,p=`style="font:600 ${ou}px ${ra(a)}" ${i.paint(`fill`,o)}`;return n.font=`600 ${ou}px ${a}`,`<?xml version="1.0" encoding="utf-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="${u}" height="${d}" viewBox="${s} -42 ${u} ${d}"><title>${ra(t)}</title><rect ${f} ${i.paint(`fill`,gu(e))}/><text x="0" y="-13" ${p}>${ra(pi(n,t,u-32))}</text>${i.parts.join(`
`)}</svg>\n`}var pu=class{context;probe;origin;parts=[];right;bottom=0;colors=new Map;clips=0;constructor(e,t,n){this.context=e,this.probe=t,this.origin=n,this.right=n.width}element(e){if(e.matches(ru))return;let t=getComputedStyle(e);if(t.display===`none`||t.visibility!==`visible`||t.opacity===`0`)return;let n=e.getBoundingClientRect(),r=this.placed(n),i=this.parts.length;if(e instanceof HTMLCanvasElement)this.canvas(e,r,t);else if(e instanceof SVGSVGElement)this.drawing(e,r);else if(e instanceof HTMLImageElement)this.parts.push(ta(e,0,0,e.naturalWidth,e.naturalHeight,na(r.x,r.y,r.width,r.height)));else{let i=t.display===`inline`?[...e.getClientRects()]:[n];for(let e of i)this.box(t,this.placed(e));this.within(e,t,r)}this.parts.length!==i&&(this.right=Math.max(this.right,r.x+r.width),this.bottom=Math.max(this.bottom,r.y+r.height),t.opacity!==`1`&&(this.parts.splice(i,0,`<g opacity="${t.opacity}">`),this.parts.push(`</g>`)))}within(e,t,n){let r=e.matches(iu)||t.overflowX===`clip`;if(r){let e=`cut${++this.clips}`;this.parts.push(`<clipPath id="${e}"><rect ${na(n.x,n.y,n.width,n.height)}/></clipPath><g clip-path="url(#${e})">`)}let i=r?0:e.scrollTop;this.origin=new DOMRect(this.origin.x,this.origin.y-i,this.origin.width);for(let n of e.childNodes)n instanceof Element?this.element(n):n instanceof Text&&n.data.trim()&&this.text(n,e,t);this.origin=new DOMRect(this.origin.x,this.origin.y+i,this.origin.width),r&&this.parts.push(`</g>`)}box(e,{x:t,y:n,width:r,height:i}){let a=Math.min(parseFloat(e.borderTopLeftRadius)||0,r/2,i/2),o=a?` rx="${X(a)}"`:``,s=this.paint(`fill`,e.backgroundColor);s&&this.parts.push(`<rect ${na(t,n,r,i)}${o} ${s}/>`),this.gradient(e,t,n,r,i);let c=du.map(t=>({width:e[`border${t}Style`]===`none`?0:parseFloat(e[`border${t}Width`]),stroke:this.paint(`stroke`,e[`border${t}Color`])})),l=/^(\S+\([^)]*\)) 0px 0px 0px ([\d.]+)px( inset)?/.exec(e.boxShadow),[u]=c;if(u.width&&u.stroke&&c.every(e=>e.width===u.width&&e.stroke===u.stroke))this.parts.push(hu(t,n,r,i,-u.width/2,u.width,a,u.stroke));else{let e=[[t,n,t+r,n],[t+r,n,t+r,n+i],[t,n+i,t+r,n+i],[t,n,t,n+i]];c.forEach((t,n)=>{if(!t.width||!t.stroke||!r||!i)return;let a=[[0,1],[-1,0],[0,-1],[1,0]][n].map(e=>e*t.width/2),[o,s,c,l]=e[n].map((e,t)=>X(e+a[t%2]));this.parts.push(`<path d="M${o} ${s}L${c} ${l}" ${t.stroke} stroke-width="${t.width}"/>`)})}if(l){let e=Number(l[2]);this.parts.push(hu(t,n,r,i,l[3]?-e/2:e/2,e,a,this.paint(`stroke`,l[1])))}}gradient(e,t,n,r,i){if(!e.backgroundImage.startsWith(`linear-gradient`))return;let a=[...e.backgroundImage.matchAll(/(rgba?\([^)]*\)|color\([^)]*\)) ([\d.-]+)(%|px)/g)],o=e.backgroundSize.split(` `)[0],s=o.endsWith(`%`)?r*parseFloat(o)/100:r,c=`ramp${++this.clips}`,l=a.map(([,e,t])=>`<stop offset="${Number(t)/100}" ${this.paint(`stop-color`,e)}/>`);this.parts.push(`<linearGradient id="${c}">${l.join(``)}</linearGradient><rect ${na(t,n,s,i)} fill="url(#${c})"/>`)}text(e,t,n){let r=`${n.fontStyle} ${n.fontWeight} ${n.fontSize} ${n.fontFamily}`;this.context.font=r;let{fontBoundingBoxAscent:i,fontBoundingBoxDescent:a}=this.context.measureText(`x`),o={center:`middle`,right:`end`,end:`end`}[n.textAlign]??`start`,s=n.textDecorationLine===`none`?``:` text-decoration="${n.textDecorationLine}"`,c=n.letterSpacing===`normal`?``:`;letter-spacing:${n.letterSpacing}`,l=n.textOverflow===`ellipsis`&&t.scrollWidth>t.clientWidth&&t.clientWidth>0;for(let u of _u(e,!n.whiteSpace.startsWith(`pre`))){let{x:e,y:d,width:f,height:p}=this.placed(u.rect),m=l?pi(this.context,u.text,t.clientWidth):u.text,h=l||o===`start`?e:o===`end`?e+f:e+f/2,g=d+p*i/(i+a||1);this.parts.push(`<text xml:space="preserve" x="${X(h)}" y="${X(g)}" text-anchor="${l?`start`:o}"${s} style="font:${ra(r)}${c}" ${this.paint(`fill`,n.color)}>${ra(m)}</text>`),this.right=Math.max(this.right,l?0:e+f)}}canvas(e,t,n){let r=Xi.get(e);if(this.box(n,t),r){let e=new ea(mu());r(e),this.parts.push(`<svg ${na(t.x,t.y,t.width,t.height)}>${String(e)}</svg>`)}else this.parts.push(ta(e,0,0,e.width,e.height,na(t.x,t.y,t.width,t.height)))}drawing(e,t){let n=getComputedStyle(e).overflow===`visible`?` overflow="visible"`:``;this.parts.push(`<svg ${na(t.x,t.y,t.width,t.height)}${n}>`);for(let t of e.children)this.shape(t);this.parts.push(`</svg>`)}shape(e){let t=getComputedStyle(e);if(t.display===`none`||t.visibility!==`visible`)return;let n=[...e.attributes].filter(({name:e})=>uu.test(e)).map(({name:e,value:t})=>`${e}="${ra(t)}"`),r=t.stroke===`none`||!t.stroke?su:[...su,...cu];for(let e of r){let r=t.getPropertyValue(e);lu.has(e)&&r!==`none`?n.push(this.paint(e,r)||`${e}="none"`):r&&r!==`1`&&n.push(`${e}="${ra(r)}"`)}let i=e.tagName===`text`;i&&n.push(`style="font:${ra(`${t.fontStyle} ${t.fontWeight} ${t.fontSize} ${t.fontFamily}`)}"`),i&&t.textAnchor!==`start`&&n.push(`text-anchor="${t.textAnchor}"`),this.parts.push(`<${e.tagName} ${n.join(` `)}>`);for(let t of e.childNodes)t instanceof Element?this.shape(t):t instanceof Text&&i&&this.parts.push(ra(t.data));this.parts.push(`</${e.tagName}>`)}paint(e,t){let n=this.colors.get(t);if(!n){this.probe.clearRect(0,0,1,1),this.probe.fillStyle=t,this.probe.fillRect(0,0,1,1);let{data:e}=this.probe.getImageData(0,0,1,1);this.colors.set(t,n={color:ia(e),opacity:e[3]/255})}if(!n.opacity)return``;let r=e===`stop-color`?`stop-opacity`:`${e}-opacity`;return`${e}="${n.color}"${n.opacity<1?` ${r}="${X(n.opacity)}"`:``}`}placed({x:e,y:t,width:n,height:r}){return new DOMRect(e-this.origin.x,t-this.origin.y,n,r)}};function mu(){return document.createElement(`canvas`).getContext(`2d`,{willReadFrequently:!0})}function hu(e,t,n,r,i,a,o,s){let c=o?` rx="${X(Math.max(0,o+i))}"`:``;return`<rect ${na(e-i,t-i,n+2*i,r+2*i)}${c} fill="none" ${s} stroke-width="${a}"/>`}function gu(e){if(!e)return`#fff`;let{backgroundColor:t}=getComputedStyle(e);return/^(transparent|rgba\(0, 0, 0, 0\))$/.test(t)?gu(e.parentElement):t}function _u(e,t){let n=document.createRange(),r=e=>t?e.replace(/\s+/g,` `):e;n.selectNodeContents(e);let i=n.getClientRects();if(i.length===1)return[{text:r(e.data),rect:i[0]}];let a=[],o=0;for(let t of e.data){n.setStart(e,o),n.setEnd(e,o+=t.length);let r=n.getClientRects()[0],i=a[a.length-1];r&&(r.width||t.trim())&&(i&&Math.abs(i.rect.y-r.y)<r.height/2?(i.text+=t,i.rect=new DOMRect(i.rect.x,i.rect.y,r.right-i.rect.x,i.rect.height)):a.push({text:t,rect:r}))}return a.map(({text:e,rect:t})=>({text:r(e),rect:t}))}function vu(e,t,n){let r=e.tokens.length,i=$n(e,t).filter(t=>t.first>=e.prompt),a=e.predicts?.[r-1];a!==void 0&&i.push({first:r,end:r+1,label:a,title:a,special:ar(a)});let o=+(n===`output`);return i.map(e=>{let t=Math.min(r,Math.max(0,e.first-o)),{first:n,end:i,label:a,title:s,special:c}=e;return{first:n,end:i,label:a,title:s,special:c,rows:{first:t,end:Math.max(t,Math.min(r,i-o))}}})}function yu(e,t,n){return e.map(({first:e,end:r})=>n.slice(e-t,r-t).reduce((e,t)=>e*t.probability,1))}function bu(e){let t=new Float32Array(e.values.length);for(let n=0;n<e.height;n++){let r=e.values.subarray(n*e.width,(n+1)*e.width),i=r.reduce((e,t)=>t>0?e+t:e,0);r.forEach((r,a)=>{t[n*e.width+a]=i>0?r/i:r})}return{...e,values:t}}function xu(e,t){let n=Zn(e),r=n.filter(e=>/[\p{L}\p{N}]/u.test(t[e]??``));return r.length?r:n}var Su=({trace:e,tap:t},{rows:n})=>xu(n,e.axes[t.queries]?.predicts??[]),Cu=({trace:e,tap:t,source:n},r)=>xu(n[r],e.axes[t.keys]?.tokens??[]);function wu(e,t){let n=yl(e).map(e=>oo(e)?.query??-1);return new Set(t.output.flatMap((e,t)=>n.some(t=>t>=e.rows.first&&t<e.rows.end)?[t]:[]))}function Tu(e){let t=V(null),n=!1,r=async(r,i)=>{if(!n){n=!0;for(let n=t.value;n?.request&&!n.trace;n=t.value){let{request:a}=n,o=await Ps(e,()=>Ss(e,Eu(e,a,i)));o?t.value===n&&(t.value={...n,trace:o,next:Du(o,r,i)}):t.value=null}n=!1}};return{held:t,take(n,i,a){let{value:o}=t,s=n.output[i];if(!s||e.busy.value||o?.word===i&&o.key===a)return;let c=o?.word===i?o.from:a,[l=0]=Su(n,s),u=a===c?null:Dl(e,l,Cu(n,a));t.value={word:i,from:c,key:a,request:u,trace:null,next:null},r(n.tap.queries,l)},async letGo(n){let{value:r}=t;n&&r?.request&&await Sl(e,r.request),t.value=null}}}function Eu(e,t,n){let r=e.trace.value?.generation?.steps.slice(0,n).map(e=>e.id??-1)??[];return{...t,num_beams:1,...r.length&&{forced_beginning:r}}}function Du(e,t,n){let r=e.axes[t],i=e.generation?.steps[n+1-(r?.prompt??0)];return!r||!i?null:{label:vu(r,nr(r,`word`)?`word`:`token`,`output`).find(({rows:e})=>n>=e.first&&n<e.end)?.label??i.token,probability:i.probability}}var Ou=.1,ku=.3;function Au({output:e,source:t,trace:n,tap:r},i,a,o){let s=n.axes[r.queries]?.prompt??1;return e.flatMap(({rows:{first:e},special:n},r)=>n||!(i[r]>=.3)?[]:t.flatMap(({first:t,end:n,label:i},c)=>{let l=a[c]?.changes[e+1-s]??0,u=o.reduce((r,{values:i,width:a})=>i.subarray(e*a+t,e*a+n).reduce((e,t)=>e+t,r),0)/o.length;return l<-.3&&u<.1?[{query:r,key:c,row:e,label:i,looked:u,change:l}]:[]}))}var[ju,Mu]=[2.5,8];function Nu(e,t,n){let r=({start:e,end:t},n)=>Math.min(Math.max(hc(n),e+Mu),t-Mu);return e.map(({query:e,key:i,looked:a})=>{let[o,s]=[t[i],n[e]];return{query:e,key:i,slot:1,value:a,from:r(o,s),to:r(s,o),width:ju}})}var Pu=e=>`−${Math.round(-100*e)}`,Fu=.03;function Iu(e,t,n,r){let i=[];e.values.forEach((t,n)=>{let[a,o]=[Math.floor(n/e.width),n%e.width];t>=.03&&i.push({query:a,key:o,slot:0,value:t,from:0,to:0,width:t*r})});let a=(e,t,n)=>{let i=e.reduce((e,t)=>e+t.value*r,0),a=Math.min(1,(n.end-n.start)/Math.max(1e-9,i)),o=hc(n)-i*a/2;for(let n of e){let e=n.value*r*a;n[t]=o+e/2,n.width=Math.min(n.width,e),o+=e}};return n.forEach((e,t)=>a(i.filter(e=>e.query===t),`to`,e)),t.forEach((e,t)=>a(i.filter(e=>e.key===t),`from`,e)),i}function Lu(e,t){let n=e.indexOf(t);if(n>=0){let t=e.map((e,t)=>t===n?null:e);return t.some(e=>e!==null)?Vu(t):e}let r=e.indexOf(null);return r>=0?e.map((e,n)=>n===r?t:e):e.length<8?[...e,t]:e}function Ru({heads:e,head:t}){return e.value.includes(t.value)?e.value:[t.value]}function zu(e,t){let n=Lu(Ru(e),t),r=Bu(n).map(e=>e.head);R(()=>{e.heads.value=n,e.head.value=r.includes(t)?t:r[r.length-1]??e.head.value})}function Bu(e){return e.flatMap((e,t)=>e===null?[]:[{head:e,color:t}])}function Vu(e){let t=e.length;for(;t>0&&e[t-1]===null;)t--;return e.slice(0,t)}var Hu=1<<20;function Uu(e){let{value:t}=e.tap;return t?.kind===`cross`&&t.rows*t.columns<=Hu&&Bu(Ru(e)).length===1}function Wu(e,t,n){let r=e.trace.value,i=e.tap.value,a=e.head.value,o=i?za(e.quantity.value,i):`weight`,s=Z(r&&i?JSON.stringify([r.id,i.name,a,o]):null,async t=>{let[n,s]=[r,i],c={first:0,end:s.rows};return{info:n,layer:s,head:a,quantity:o,map:await Va(e.source,n.id,s,a,o,c,t)}}),c=s.value;return{aligned:L(()=>{let e=c?.info.axes[c.layer.keys],r=c?.info.axes[c.layer.queries];if(!c||!e||!r)return null;let i=e=>nr(e,n)?n:`token`,a=$n(e,e.peaks?`word`:i(e)),o=vu(r,i(r),t),s=Ha(c.map,o.map(e=>e.rows),a),{info:l,layer:u,map:d}=c;return{trace:l,tap:u,head:c.head,quantity:c.quantity,step:t,source:a,output:o,tokens:d,values:s,shares:bu(s)}},[c,t,n]),loading:s.loading,error:s.error}}var Gu=({trace:e,tap:t})=>e.axes[t.keys]?.peaks??null;function Ku({shares:{values:e,height:t,width:n}}){let[r,i]=[0,0];for(let a=0;a<t;a++){let t=e.subarray(a*n,(a+1)*n);if(t.some(e=>e>0)){r++;for(let e of t)e>=.03&&(i+=e)}}return r?Math.max(0,1-i/r):0}var qu=56,Ju=64,Yu=[.1,.2,.5,1,2,5,10];function Xu(e,t,n){let r=(n-(e.at(-1)?.special?qu:0))/t.length;return e.map(({first:e,end:t,special:i})=>({start:e*r,end:i?n:t*r}))}function Zu(e,t,n,r){let i=Math.max(...e,1e-9),a=(r,a)=>[(r+.5)*t/e.length,n/2*(1+.94*a*Math.max(.01,e[r]/i))],o=e.map((e,t)=>t);return`M${[...o.map(e=>a(e,-1)),...o.reverse().map(e=>a(e,1))].map(e=>(r?e:e.reverse()).map(e=>e.toFixed(1)).join(` `)).join(`L`)}Z`}function Qu({peaks:e,tokens:t,units:n,extents:r,down:i,edge:a,deep:o,length:s}){let c=n.at(-1)?.special?r.at(-1)?.start??s:s,l=parseFloat(t[1]??`1`)*e.length,u=Yu.find(e=>e/l*c>=Ju)??30,d=Array.from({length:Math.floor(l/u+1e-6)+1},(e,t)=>t*u).filter(e=>e/l*c<=s-24);return q(`svg`,{"aria-hidden":`true`,class:`rg-wave`,width:i?s:o,height:i?o:s,style:i?{left:0,top:`${a}px`}:{left:0,top:0},children:[q(`path`,{fill:`var(--rg-faint)`,d:Zu(e,c,o,i)}),d.map(e=>{let t=e/l*c,n=`${Number(e.toFixed(1))} s`;return i?q(`text`,{fill:`var(--rg-fg)`,"font-size":12,x:t,y:-8,children:n},e):q(`text`,{fill:`var(--rg-fg)`,"font-size":12,x:2,y:t+11,children:n},e)})]})}var $u=6,[ed,td]=[190,300],nd=32,rd=24,id=22,ad=[{font:18,padding:10,gap:10},{font:14,padding:7,gap:6}],od=new Set;function sd(e){let{aligned:t,width:n,active:r=[],struck:i=od,pulled:a,pull:o,needs:s=[],free:c=!1,onHover:l=()=>void 0}=e,u=W(),d=I(null),f=I(!1),p=L(()=>fd(t,n,c?ed:pd()),[t,n]),{down:m,depth:h,column:g,first:_=g,source:v,output:y}=p,b=Gu(t),x=L(()=>Iu(t.shares,v,y,id),[t,p]),C=L(()=>{let e=new Map;c&&t.output.forEach((t,n)=>e.set(n,{query:n,key:null,value:0,at:hc(y[n])}));for(let{query:t,key:n,value:r,from:i}of x)r>(e.get(t)?.value??0)&&e.set(t,{query:t,key:n,value:r,at:i});return[...e.values()].filter(({query:e})=>!c||cd(t.output[e]))},[x]),w=e=>o?.word===e,T=e=>e.currentTarget.closest(`.rg-links`),E=e=>{let t=T(e).getBoundingClientRect(),n=m?e.clientX-t.left:e.clientY-t.top;return v.reduce((e,t,r)=>Math.abs(hc(t)-n)<Math.abs(hc(v[e])-n)?r:e,0)},D=(t,n,r)=>{let i={ArrowLeft:-1,ArrowUp:-1,ArrowRight:1,ArrowDown:1}[t.key];if(i)e.onPull?.(n,Math.min(v.length-1,Math.max(0,(o?.key??r??-1)+i)));else if(t.key===`Enter`||t.key===` `)e.onLetGo(!0);else if(t.key===`Escape`)e.onLetGo(!1);else return;t.preventDefault(),t.stopPropagation(),i||T(t).querySelector(`[data-word="output ${n}"]`)?.focus()},O=(t,n)=>({onPointerDown:e=>{e.preventDefault(),e.currentTarget.setPointerCapture(e.pointerId),d.current={x:e.clientX,y:e.clientY},f.current=!1},onPointerMove:r=>{let{current:i}=d;i&&!f.current&&Math.hypot(r.clientX-i.x,r.clientY-i.y)>$u&&(f.current=!0,n!==null&&e.onPull?.(t,n)),(i?f.current:w(t))&&e.onPull?.(t,E(r))},onPointerUp:()=>{d.current=null,(f.current||w(t))&&e.onLetGo(!0)},onPointerCancel:()=>{d.current=null,e.onLetGo(!1)},onClick:()=>{f.current||e.onLock({side:`query`,index:t}),f.current=!1}}),ee=Math.max(0,...(e.relied??[]).map(e=>-(e?.change??0))),k=({query:e,key:n})=>mn(t.values.values[e*t.values.width+n],t.quantity),A=({side:e,index:n})=>{let i=r.at(-1);if(!i||i.side===e)return{};let a=e===`key`?{query:i.index,key:n}:{query:n,key:i.index},{values:o,width:s}=t.shares,c=o[a.query*s+a.key];return b&&e===`key`?{number:k(a),share:c/Math.max(...o.subarray(a.query*s,(a.query+1)*s))}:c>=.01?{number:k(a),share:c}:{}},te=n=>{let r=t.source[n],a=i.has(n),{onStrike:s}=e;return{...A({side:`key`,index:n}),classes:[b&&`rg-word--stretch`,a&&`rg-word--struck`,o?.key===n&&`rg-word--aimed`].filter(e=>typeof e==`string`),attributes:s?{"aria-keyshortcuts":`x`}:{},after:!r.special&&!b&&q(S,{children:[q(ud,{change:e.relied?.[n]?.change??null,most:ee}),s&&q(`button`,{type:`button`,class:`rg-translation__strike`,tabIndex:-1,title:u(a?`ribbons.put`:`ribbons.out`,{word:r.label}),"aria-label":`${a?`put back`:`strike out`} ${r.label}`,onClick:()=>s(n),children:a?`↺`:`×`})]})}},ne=n=>{let r=t.output[n],i=w(n)?o?.next:null,l=i?.probability??e.chances[n]??1,d=!r.special&&l<(e.unsureBelow??0);return{...i||c&&a.has(n)?{number:K(l)}:A({side:`query`,index:n}),...i&&{label:i.label},says:[...d?[`unsure`]:[],...s.filter(e=>e.query===n).map(({label:e,change:t})=>`needed ${e} ${Pu(t)} points`)].join(`, `),...d&&{title:u(`ribbons.unsure`,{word:r.title})},sure:l,classes:[`rg-word--written`,c&&cd(r)&&`rg-word--free`,d&&`rg-word--unsure`,(i||a.has(n))&&`rg-word--pulled`].filter(e=>typeof e==`string`),attributes:{...e.onPull&&{"aria-keyshortcuts":`p`},...c&&cd(r)&&O(n,null)}}},j=L(()=>({key:ld(t.source),query:ld(t.output)}),[t]),re=({query:e,key:n,value:i,slot:o})=>{let s=Ec(r,{side:`query`,index:e})||Ec(r,{side:`key`,index:n}),c=`${j.query[e]} ${j.key[n]}`;if(o===1)return{name:`needed ${c}`,opacity:!r.length||s?.9:.1,look:`rg-translation__needed`};let l=r.length?s?.3+.6*i:.05:.12+.6*i,u={color:`var(--rg-head-1)`,look:`rg-translation__pulled`};return i<0?{name:`held`,opacity:.9,...u}:{name:c,cell:`${t.output[e]?.rows.first} ${t.source[n]?.first}`,opacity:w(e)?1:l,...w(e)?{color:`var(--rg-rule)`}:a.has(e)&&u}},M=L(()=>[...x,...Nu(s,v,y)],[x,s]),ie=o?[...M,{query:o.word,key:o.key,slot:0,value:-1,from:hc(v[o.key]),to:hc(y[o.word]),width:id}]:M,ae=e=>{let n=e.slot===1&&s.find(({query:t,key:n})=>t===e.query&&n===e.key),[r,i]=[t.output[e.query]?.label,t.source[e.key]?.label];return n?[`${r} needed ${i}`,u(`said.points`,{change:Pu(n.change),share:K(n.looked)})]:[`${r} looked at ${i}`,k(e)]},oe=e=>[0,e.length];return q(Dc,{sides:[{side:`key`,name:`source`,units:t.source,extents:v,shown:oe(t.source)},{side:`query`,name:`output`,units:t.output,extents:y,shown:oe(t.output)}],down:m,depth:h,column:g,first:_,length:p.total,edge:m?rd:0,font:p.font,strands:ie,paint:re,describe:ae,look:({side:e,index:t})=>e===`key`?te(t):ne(t),active:r,locked:e.locked,name:({side:e,index:t})=>j[e][t],onHover:l,onLock:e.onLock,onRelease:e.onRelease,onAsk:({query:t,key:n})=>e.onAsk?.(t,n),children:[b&&q(Qu,{peaks:b,tokens:t.trace.axes[t.tap.keys]?.tokens??[],units:t.source,extents:v,down:m,edge:m?rd:0,deep:_,length:p.total}),e.onPull&&C.map(({query:n,key:r,at:i})=>{let s=w(n)?o?.key:r,[c,d]=[t.output[n]?.label,s===null?`no word yet`:t.source[s]?.label],f=w(n)?hc(v[o?.key]):i,p=(m?rd:0)+_+(s===null?h:0);return q(`div`,{role:`slider`,class:`rg-translation__handle${w(n)?` rg-translation__handle--held`:``}${a.has(n)?` rg-translation__handle--pulled`:``}`,tabIndex:-1,"data-handle":n,style:m?{left:`${f}px`,top:`${p}px`}:{left:`${p}px`,top:`${f}px`},title:u(`ribbons.ring`,{word:c??``}),"aria-label":`what ${c} looks at; arrows pull it, enter lets go`,"aria-orientation":m?`horizontal`:`vertical`,"aria-valuemin":0,"aria-valuemax":v.length-1,"aria-valuenow":s??void 0,"aria-valuetext":`${d}${w(n)&&o?.next?`: ${o.next.label}, ${K(o.next.probability)}`:``}`,onPointerEnter:()=>!o&&l({side:`query`,index:n}),onFocus:()=>l({side:`query`,index:n}),onBlur:()=>e.onLetGo(!1),...O(n,r),onKeyDown:e=>D(e,n,r)},j.query[n])})]})}var cd=e=>e!==void 0&&!e.special&&/[\p{L}\p{N}]/u.test(e.label);function ld(e){let t=new Map;return e.map(({label:e})=>{let n=(t.get(e)??0)+1;return t.set(e,n),`${e} ${n}`})}function ud({change:e,most:t}){if(e===null||t<=0)return null;let n=Math.max(0,-e)/t;return q(`span`,{class:`rg-track rg-translation__reliance`,title:e<0?`without it this translation is ${dd(-e)} times less likely`:`without it this translation is as likely`,style:{"--part":`${100*n}%`,"--line":`var(--rg-head-1)`}})}function dd(e){let t=Math.exp(e);return t<1e4?Number(t.toPrecision(2)).toLocaleString(`en`):`10^${Math.round(e/Math.LN10)}`}function fd(e,t,n){let{source:r,output:i}=e,a=Gu(e);for(let{font:e,padding:o,gap:s}of ad){let c=_d(e,600),l=e=>Math.max(30,Math.ceil(hd(e,c))+2*o),[u,d]=[a?[]:r.map(e=>l(e.label)),i.map(e=>l(e.label))],f=Math.max(yc(u,s),yc(d,s));if(f>t)continue;if(a)return{down:!0,depth:n,font:e,column:nd,first:72,total:t,source:Xu(r,a,t),output:vc(d,s,t,1/0)};let p=Math.min(t,f+8*Math.max(u.length,d.length));return{down:!0,depth:n,font:e,column:nd,total:p,source:vc(u,s,p),output:vc(d,s,p)}}let o=Math.min(200,Math.floor(t*.36)),[s,c]=[a?[]:r.map(()=>28),i.map(()=>28)],l=Math.max(yc(s,4),yc(c,4)),u=a?Math.min(72,o):o;return{down:!1,depth:Math.min(280,t-u-o),font:14,column:o,first:u,total:l,source:a?Xu(r,a,l):vc(s,4,l,1/0),output:vc(c,4,l,1/0)}}function pd(){return Math.min(td,Math.max(ed,.3*(document.querySelector(`.regard`)?.clientHeight??0)))}var md=null;function hd(e,t){return md??=document.createElement(`canvas`).getContext(`2d`),md?(md.font=t,md.measureText(e).width):e.length*8}var gd=``;function _d(e,t=400){return gd||=getComputedStyle(document.querySelector(`.regard`)??document.body).fontFamily,`${t} ${e}px ${gd}`}var vd=`I am afraid of big spiders.(We have been waiting for two hours.(The milk is in the fridge.(Do you want to dance with me?(The shop closes at eight o'clock.(It is raining again.(We need more time and less noise.(He always sings in the shower.(You can see the mountains from here.(The lake is very cold in winter.(The river is deep and cold.(The train to Berlin is late today.(The museum is closed on Sunday.(Her father works in a hospital.(I cannot find my glasses.(The house is small, but it has a large garden.(My father has a red car.(This bridge is older than the city.(She speaks four languages.(The water in this glass is not clean.(My brother plays the piano very well.(The boy is hiding behind the door.(He forgot his keys at home again.(The girl is reading an old book.(My grandmother makes the best apple cake.(The wind blew his hat away.(I know a good restaurant near here.(My phone fell into the water.(She laughed and closed the book.(The baby is laughing and the dog is barking.(I have two brothers and one sister.(Please open the window, it is warm.(The mouse is faster than the cat.(The children are playing in the park.(Two boys are swimming in the lake.(An old friend visited us yesterday.(Our neighbor has three black dogs.(The cat is sitting under the table.(They live in a small village near the river.(The coffee is cold, but I like it.(The soup is too hot for the baby.(Where is the station?(The story has a happy end.(The old man is feeding the birds.(We live in an old house.(There is a strange man in the garden.(I would like a cup of tea.(I will never forget this summer.(How much does this hat cost?(I have never seen so much snow.(We drink coffee in the kitchen every morning.(The sun is shining and the birds are singing.(A small bird is sitting on the roof.(The teacher asked a difficult question.(I love the smell of coffee.(The king lived in an old castle.(My sister wants to buy a new car.(Who ate the last piece of chocolate?(The apples are on the table.(Someone has eaten my cake.`.split(`(`),yd=e=>e.view.value===`sentence`&&e.drawn.value!==null&&bl(e)&&bd(e.trace.value).length>0,bd=e=>e?.taps.filter(({kind:e})=>e===`cross`)??[],xd=e=>vd[Math.floor(Date.UTC(e.getFullYear(),e.getMonth(),e.getDate())/864e5)%vd.length],Sd=e=>vd[(vd.indexOf(e)+1)%vd.length],Cd=new WeakMap;async function wd(e,t){let n=Cs(e);n&&(yd(e)||Cd.set(e,{id:e.trace.value?.id??``,request:e.request.value??n}),e.drawn.value=[],e.drawer.value=``,await xs(e,t?{model:n.model,text:t}:n))}async function Td(e){e.drawn.value=null;let{value:t}=e.trace,{id:n,request:r}=Cd.get(e)??{};r&&n!==t?.id&&r.text===t?.text&&r.model===t.model&&await xs(e,r)}function Ed(e,t=new Map){let n=bd(e)[0],[r,i]=[e.axes[n.keys],e.axes[n.queries]],a=$n(r,nr(r,`word`)?`word`:`token`),o=vu(i,nr(i,`word`)?`word`:`token`,`output`),s={values:new Float32Array(o.length*a.length),height:o.length,width:a.length};for(let[e,n]of t)s.values[e*a.length+n]=1;return{trace:e,tap:n,head:`mean`,quantity:`weight`,step:`output`,source:a,output:o,tokens:s,values:s,shares:s}}function Dd(e,{output:t,source:n}){let r=new Map;for(let i of e.map(oo)){let e=t.findIndex(({rows:e})=>i&&i.query>=e.first&&i.query<e.end),a=n.findIndex(({first:e,end:t})=>i&&i.key>=e&&i.key<t);cd(t[e])&&a>=0&&r.set(e,a)}return r}var Od=(e,t)=>[...e].sort(([e],[t])=>e-t).map(([e,n])=>`${Su(t,t.output[e])[0]}:${Cu(t,n)[0]}`);function kd(e,t){let[n,r]=[t.trace.axes[t.tap.keys]?.tokens??[],t.trace.axes[t.tap.queries]?.predicts??[]],i=n.map((e,t)=>t),a=(e=``)=>e.replace(/^▁/,``),o=new Map;return t.output.forEach((s,c)=>{let l=e.get(c),u=cd(s)?Su(t,s):[];for(let e=s.rows.first;e<s.rows.end;e++){let s=n.map(a).lastIndexOf(a(r[e]));o.set(e,u.includes(e)?l===void 0?i:Cu(t,l):[s<0?n.length-1:s])}}),[...o].flatMap(([e,t])=>t.map(t=>`${e}:${t}`))}function Ad(e,t){let n=e.trace.value?.generation?.steps;return n?Cs(e,{num_beams:1,looks:t,forced_beginning:n.map(e=>e.id??-1)}):null}var jd=e=>100*Math.exp(e.reduce((e,t)=>e+Math.log(Math.max(t.probability,1e-12)),0)/e.length),Md=e=>e.toFixed(+(e<.95));function Nd(e){let t=[...e.trace.text].reduce((e,t)=>31*e+t.codePointAt(0)>>>0,7),n=e.source.flatMap((e,t)=>cd(e)?[t]:[]),r=()=>n[(t=1664525*t+1013904223>>>0)%n.length];return new Map(e.output.flatMap((e,t)=>cd(e)?[[t,r()]]:[]))}function Pd(e,t,n){let r=e.trace.axes[e.tap.queries]?.prompt??1,[i,a]=[yu(e.output,r,t),yu(e.output,r,n)];return e.output.map((e,t)=>{let n=a[t]/i[t];return cd(e)?[.9,.5,.1].filter(e=>n<e).length:null})}var Fd=[`🟦`,`🟨`,`🟧`,`⬛`],Id=[`var(--rg-head-0)`,`#e8b90c`,`#e07020`,`#33363c`],Ld=[`at least 90 %`,`at least half`,`at least a tenth`,`less than a tenth`],Rd=250;function zd(e){let{value:t}=e.trace,{value:n}=e.other;return{...Hd(t=>e[t].value),trace:t&&Ud(e,t),other:n&&{trace:n.trace.id===t?.id?null:Ud(e,n.trace),tap:n.tap.name,head:n.head},landing:!1,learn:e.learn.value}}var Bd=Object.keys(ts),Vd=[`tapName`,`head`,`heads`,`viewport`,`focus`,`locked`,`step`,`drawn`];function Hd(e){return Object.fromEntries(Bd.map(t=>[t,e(t)]))}function Ud(e,t){let n=e.asked.get(t.id);return n?{...n,id:t.id}:{model:t.model,text:``,id:t.id}}async function Wd(e,t,n){e.learn.value=e.source.abilities.explain?t.learn:null;let r=n=>{for(let r of n)e[r].value=t[r]};if(e.learn.value)return r([`theme`,`language`]);R(()=>{r(Bd.filter(e=>!Vd.includes(e))),e.trace.value||r([`tapName`,`head`,`viewport`])});let i=e.trace.value&&Ud(e,e.trace.value),a=i=>{let a=i.taps.find(e=>e.name===t.tapName)??e.tap.value;r(Vd),a&&(e.tapName.value=a.name,bs(e,a)),n?.(e,i)};t.trace&&!qd(i,t.trace)&&(t.trace.text?await xs(e,Kd(t.trace),{arrive:a}):await Os(e,t.trace.id));let{value:o}=e.trace;o&&(R(()=>a(o)),await Gd(e,t,o))}async function Gd(e,t,n){if(!t.other){e.other.value=null;return}let{trace:r,tap:i,head:a}=t.other,o=r?await Ps(e,()=>r.text?Ss(e,Kd(r)):ks(e,r.id)):n,s=o?.taps.find(e=>e.name===i);e.trace.value===n&&o&&s&&(e.other.value={trace:o,tap:s,head:a})}function Kd({id:e,...t}){return t}function qd(e,t){if(!e)return!1;if(!ls(e)||!ls(t))return e.id===t.id;let n=e=>cs({...ss,trace:e});return n(e)===n(t)}function Jd(e,t){let n=null,r=0,i=0,a=!1,o=(e,r)=>{let i=`${t.location.pathname}${cs(e)?`?${cs(e)}`:``}`;r?t.history.pushState(null,``,i):t.history.replaceState(null,``,i),n=e},s=st(()=>{let s=zd(e);if(t.clearTimeout(i),!r&&(s.trace||s.learn)){if(!n)o(s,!1);else if(cs(s)===cs(n))return;else ms(n,s)?(o(s,!(a&&e.typing.peek())),a=e.typing.peek()):i=t.setTimeout(()=>o(s,!1),Rd)}}),c=async()=>{r+=1,e.typing.value=!1,await Wd(e,ds(t.location.search)),--r,n=zd(e)};return t.addEventListener(`popstate`,c),()=>{s(),t.clearTimeout(i),t.removeEventListener(`popstate`,c)}}async function Yd(e,t){e.theme.value=t.theme,await Ps(e,async()=>{let n=e.source.models().then(t=>e.models.value=t),{trace:r}=t;if(r&&!r.id&&!(r.text&&r.model)){let[e,...i]=await n,a=[e,...i].find(e=>e?.name===r.model)??e;t={...t,trace:{...r,model:r.model||(e?.name??``),text:r.text||(a?.example??``)}}}if(t.trace||t.learn&&e.source.abilities.explain){await Promise.all([n,t.landing?Xd(e,t):Wd(e,t)]);return}let[i]=await Promise.all([e.source.traces(),n]),a=i.find(({pinned:e=!0})=>e),[o]=e.models.value,s=o?.example?o:null;if(a){let{id:n,request:r}=a,i=r?{...r,id:n}:{id:n,model:a.model,text:``};await(t.landing?Xd:Wd)(e,{...t,trace:i})}else if(s&&e.source.abilities.trace){let n=t.drawn?xd(new Date):s.example;await Xd(e,{...t,trace:{model:s.name,text:n,id:``}})}}),e.begun.value=!0}async function Xd(e,t){await Wd(e,t,Qd),await tf(e)}async function Zd(e,t){let{value:n}=e.trace,{without:r=[],looks:i=[],forced_beginning:a}=e.request.value??{},o=n?.text===t.text&&n.model!==t.model,s=new Map;await xs(e,t,{instead:({axes:e,can_rewrite:i})=>(o&&i&&(s=mo(r,n.axes,e)),s.size?{...t,without:po([...s.values()].flat())}:null)});let{value:c}=e.trace;if(!c||!n||c===n)return;n.task!==c.task&&(R(()=>Qd(e,c)),await tf(e));let l=Bt(e.language.value),u=[...[...go(l,r.filter(e=>!s.has(e)),n),..._o(l,i,n)].map(({label:e})=>e),...a&&!i.length?[l(`steps.forced`)]:[]];o&&u.length&&(e.error.value=l(`changed.left`,{model:n.model,parts:u.join(`; `)}))}function Qd(e,t){let n=ef(t);e.tapName.value=_s(t)?.name??``,n.view&&(e.view.value=n.view),n.head!==void 0&&(e.head.value=n.head),n.group&&(e.group.value=n.group)}var $d=48;function ef({task:e,taps:t,axes:n}){if(e===`transcription`||e===`vision`)return{view:`sentence`,head:`mean`};if(!t.every(Ra))return{};let[r]=Object.values(n);return{view:`sentence`,...r?.words&&Y(r.tokens)===`letters`&&{group:`word`},...e===`translation`&&{head:`mean`}}}async function tf(e){let{value:t}=e.trace,n=t&&_s(t);if(!t||!n||n.kind===`cross`||t.task===`vision`||!Ra(n))return;let r=t.taps.filter(e=>e.side===n.side&&e.kind===n.kind);if(r.length>$d)return;let i=t.axes[n.queries],[a,o]=[Za(i,t.generation?.axis===n.queries),Xa(i)],s=await Promise.all(r.map(n=>e.source.thumbnails(t.id,n.name,256))),c=r.flatMap((e,t)=>{let{height:n,width:r,values:i}=s[t];return Array.from({length:e.heads},(t,a)=>({tap:e,head:a,height:n,width:r,values:i.subarray(a*n*r,(a+1)*n*r)}))}),l=c[ro(a,o,c,!0)?.map??-1];l&&e.trace.value===t&&ys(e,l.tap,l.head)}function nf({label:e,look:t,title:n,children:r}){let i=I(null);return F(()=>{let e=e=>{i.current?.open&&!e.composedPath().includes(i.current)&&(i.current.open=!1)};return document.addEventListener(`pointerdown`,e),()=>document.removeEventListener(`pointerdown`,e)},[]),q(`details`,{class:`rg-menu`,ref:i,onKeyDown:e=>{e.key===`Escape`&&i.current?.open&&(e.preventDefault(),i.current.open=!1,i.current.querySelector(`summary`)?.focus())},children:[q(`summary`,{class:t,title:n,children:e}),q(`ul`,{class:`rg-menu__list`,children:r})]})}function rf({busy:e,onChoose:t,children:n}){return q(`li`,{children:q(`button`,{type:`button`,class:`rg-menu__item`,"aria-busy":e,onClick:t,children:n})})}function af({state:e,trace:t}){let n=W(),r=I(null),i=H(!1),a=H(null),o=e.source.abilities.export,s=[`svg`,`png`,...Gl(e)?[`drawer.svg`,`drawer.png`]:[],...o?[`npz`,`html`]:[]],c=async i=>{if(i===`npz`||i===`html`)return e.source.download(e.source.exportUrl(t.id,i,i===`html`?lf(e):cf(e)));let a=r.current?.closest(`.rg-app`)?.querySelector(i.startsWith(`drawer`)?`.rg-drawer`:`.rg-hero`),o=fu(a,sf(n,e,t));return i.endsWith(`svg`)?$l(o):eu(o)},l=async t=>{a.value=t,await Ps(e,async()=>nu(await c(t),`regard.${t}`)),a.value=null},u=async()=>{await navigator.clipboard.writeText(window.location.href),i.value=!0,window.setTimeout(()=>i.value=!1,1500)};return q(`div`,{ref:r,children:q(nf,{label:n(`export`),look:`rg-button`,children:[s.map(t=>q(rf,{busy:a.value===t,onChoose:()=>void l(t),children:a.value===t?n(`export.preparing`):of(t,e,n)},t)),o&&q(rf,{onChoose:()=>void u(),children:n(i.value?`export.copied`:`export.link`)})]})})}function of(e,{view:t,other:n},r){if(e===`html`)return r(`export.html`);let[,i,a]=/^(drawer)?\.?(svg|png)$/.exec(e)??[];return a?r(i?`export.drawer`:`export.picture`,{kind:a.toUpperCase()}):t.value===`sentence`?r(`export.numbers`):r(n.value?`export.first`:`export.these`)}function sf(e,t,{model:n,text:r}){let i=n.replace(/^.*\//,``),a=t.tap.value;return`${i} · ${a&&t.view.value===`map`?`${a.name}, ${dn(e,t.head.value)}: `:``}${Dt(r).replace(/\s+/g,` `).trim()}`}function cf(e){let t=Rr(e)??{row:0,column:0,height:1,width:1},n={tap:e.tapName.value,head:e.head.value,quantity:e.quantity.value,group:e.group.value,...t};return Object.fromEntries(Object.entries(n).map(([e,t])=>[e,String(t)]))}function lf(e){return Object.fromEntries(new URLSearchParams(cs({...zd(e),trace:null,other:null})))}var uf=[{name:`sentence`,least:1,step:1},{name:`num_beams`,least:1,step:1},{name:`generate`,least:0,step:1},{name:`temperature`,least:0,step:`any`,draws:!0},{name:`top_k`,least:0,step:1,draws:!0},{name:`top_p`,least:0,most:1,step:`any`,draws:!0},{name:`seed`,least:0,step:1,draws:!0}];function df(e,t){let n=uf.filter(({name:t})=>e?.[t]!==void 0);if(t.target?.trim())return[];let r=({name:e})=>!!t[e]?.trim(),i=n.some(e=>e.draws&&r(e)),a=Number(t.num_beams??``)>1;return n.filter(e=>e.draws?i||!a:e.name!==`num_beams`||!i)}function ff(e){let t={};for(let{name:n}of uf)e[n]!==void 0&&e[n]!==null&&(t[n]=String(e[n]));return e.target&&(t.target=e.target),t}function pf(e,t,n){let r={},i=n?e.target?.trim():``;if(i)return{target:i};for(let{name:n}of t){let t=e[n]?.trim();t&&Number.isFinite(Number(t))&&(r[n]=Number(t))}return r}function mf({id:e,own:t,notes:n,chosen:r,onChange:i}){let a=W();if(!t||!Object.keys(t).length)return null;let o=df(t,r),s=pf(r,o,!0),c=Object.keys(s).length;return q(`details`,{class:`rg-ask__part`,open:c>0||void 0,children:[q(`summary`,{class:`rg-ask__name rg-note`,children:[a(`ask.options`),c>0&&q(`strong`,{children:[` `,a(`ask.set`,{count:c})]})]}),q(`label`,{class:`rg-note`,for:`${e}-target`,children:a(`ask.target`)}),q(`textarea`,{id:`${e}-target`,class:`rg-field`,rows:1,spellcheck:!1,value:r.target??``,onInput:e=>i({...r,target:e.currentTarget.value})}),q(`div`,{class:`rg-options__fields`,children:o.map(({name:e,least:n,most:o,step:s})=>q(`label`,{class:`rg-note`,title:a(`option.${e}.means`),children:[q(`span`,{children:a(`option.${e}`)}),q(`input`,{class:`rg-field rg-number`,type:`number`,min:n,step:s,max:o,placeholder:String(t[e]),value:r[e]??``,onInput:t=>i({...r,[e]:t.currentTarget.value})})]},e))}),o.some(e=>e.draws&&r[e.name]?.trim())&&n.map(e=>q(`p`,{class:`rg-note`,children:sc(a,e)},e)),c>0&&q(`button`,{type:`button`,class:`rg-button rg-button--bare`,onClick:()=>i({}),children:a(`ask.defaults`)})]})}var hf=60,gf=3e3;function _f({state:e}){let t=W(),{draft:n,typing:r,busy:i}=e,a=H(!1),o=I({text:``,took:0});return wt(()=>{let a=n.text.value.trim();if(!r.value||i.value||!a||a===o.current.text||o.current.took>gf)return;let s=setTimeout(async()=>{let n=performance.now();o.current={text:a,took:0},await vf(e,t),o.current.took=performance.now()-n},Math.max(hf,o.current.took));return()=>clearTimeout(s)}),e.models.value.find(e=>e.name===n.model.value)?.task===`vision`?null:q(`textarea`,{class:`rg-field rg-line${a.value?` rg-line--open`:``}`,"aria-label":t(`text`),rows:1,spellcheck:!1,placeholder:t(`ask.placeholder`),title:t(`ask.enter`),value:n.text.value,onInput:e=>{r.value=!0,n.text.value=e.currentTarget.value},onFocus:()=>a.value=!0,onBlur:({currentTarget:e})=>{r.value=!1;let t=()=>e.matches(`.regard:active *`)?requestAnimationFrame(t):a.value=e.matches(`:focus`);t()},onKeyDown:n=>{n.key===`Escape`&&n.currentTarget.blur(),n.key!==`Enter`||n.shiftKey||n.isComposing||(n.preventDefault(),r.value=!1,o.current.took=0,vf(e,t))}})}async function vf(e,t){let{model:n,text:r,options:i}=e.draft,a=e.models.value.find(e=>e.name===n.value);if(!r.value.trim()||!a){e.error.value=r.value.trim()?t(`ask.unknown`,{model:n.value}):t(`ask.empty`);return}let{options:o={}}=a;await Zd(e,{model:n.value,text:r.value.trim(),...pf(i.value,df(o,i.value),Object.keys(o).length>0)})}function yf(e){let t=e?.closest(`.rg-app`);e&&t&&t.scrollHeight>t.clientHeight&&(t.scrollTop+=e.getBoundingClientRect().top-t.getBoundingClientRect().top)}function bf(e,t){F(()=>{t&&yf(e.current?.querySelector(`#rg-hero`))},[e,t])}var xf=[`sentence`,`map`,`cell`,`products`],Sf=20;function Cf({view:e,drawer:t,viewport:n,focus:r}){return t.value===`cell`&&(e.value===`map`||r.value)?`products`:e.value===`sentence`?`sentence`:n.value&&n.value.columns<=Sf?`cell`:`map`}async function wf(e,t){let n=t===`cell`||t===`products`?await Ef(e):null,r=n&&t===`products`?await Df(e,n):e.head.value;R(()=>{if(e.tap.value&&r!==e.head.value&&ys(e,e.tap.value,r),n&&(e.focus.value=n),t===`products`)return void(e.drawer.value=`cell`);e.drawer.value===`cell`&&(e.drawer.value=``),t===`sentence`&&yd(e)&&Td(e),e.view.value=t===`sentence`?`sentence`:`map`,t===`map`&&Nr(e),n&&Pr(e,n)})}function Tf(e,t){let{view:n,viewport:r,drawer:i,focus:a}=e;if(n.value===`sentence`)return t>1&&(n.value=`map`),t>1;let o=r.value;return t<1&&!o?n.value=`sentence`:Fr(e,t),t>1&&o&&r.value?.columns===o.columns&&a.value&&(i.value=`cell`),!0}async function Ef(e){let t=e.word.value?.rows.first??0;return e.focus.value??Ps(e,async()=>({query:t,key:await Of(e,{query:t})}))}async function Df(e,{query:t,key:n}){let{trace:{value:r},tap:{value:i},head:a,source:o}=e;if(a.value!==`mean`||!r||!i)return a.value;let s={tap:i.name,level:0,row:t,column:n,height:1,width:1,quantity:`weight`,reduce:`max`,group:`token`,every:1},c=await Ps(e,()=>Promise.all(Array.from({length:i.heads},(e,t)=>o.tile(r.id,{...s,head:t}))));return c?.reduce((e,{values:t},n)=>t[0]>c[e].values[0]?n:e,0)??a.value}async function Of(e,t){let[{value:n},{value:r}]=[e.trace,e.tap];if(!n||!r)return 0;let{looks:i}=await e.source.looks(n.id,{tap:r.name,head:e.head.value,...t,k:1,quantity:`weight`});return i[0]?.position??0}function kf({state:e,trace:t}){let n=W(),{drawer:r,other:i}=e,a=e.tap.value,o=t&&a&&e.view.value===`map`,s=I(null),c=I(!1),l=Cf(e);return F(()=>{c.current&&l!==`products`&&yf(s.current),c.current=!1},[l]),q(S,{children:[q(`div`,{class:`rg-row rg-bar`,ref:s,children:[t&&q(rc,{name:n(`zoom`),label:``,look:`joined`,options:xf.map(e=>[e,n(e===`sentence`&&t.task===`vision`?`image`:`zoom.${e}`),n(`zoom.${e}.title`)]),value:l,onChoose:t=>{c.current=!0,wf(e,t)}}),e.source.abilities.trace&&q(_f,{state:e}),t&&q(`div`,{class:`rg-row rg-bar__end`,children:[Wl(e,t).map(e=>q(`button`,{type:`button`,class:`rg-button`,"aria-pressed":r.value===e,title:n(`drawer.${e}.title`),onClick:()=>r.value=r.value===e?``:e,children:n(`drawer.${e}`)},e)),q(af,{state:e,trace:t})]})]}),o&&q(`div`,{class:`rg-row rg-bar rg-bar--map`,children:[q(Pf,{state:e,trace:t,tap:a}),q(`button`,{type:`button`,class:`rg-button rg-bar__end`,"aria-pressed":i.value!==null,title:n(`pin.title`),onClick:()=>{i.value=i.value?null:{trace:t,tap:a,head:e.head.value},s.current?.scrollIntoView({block:`nearest`})},children:n(`pin`)})]})]})}var Af=[`auto`,`linear`,`log`,`row`],jf=[`token`,`word`,`sentence`],Mf=[`max`,`mean`],Nf=256;function Pf({state:e,trace:t,tap:n,lines:r}){let i=W(),a=[t.axes[n.queries],t.axes[n.keys]],o=(e,t)=>t.map(t=>[t,i(`${e}.${t}`)]),s=o(`group`,jf.filter(e=>r?a.every(t=>nr(t,e)):a.some(t=>nr(t,e)))),c=n.quantities.filter(e=>!r||e!==`score`).map(e=>[e,i(e),i(`quantity.${e}`)]),l=(t,n,r,a)=>q(rc,{name:i(t),label:n===`joined`?``:i(t),look:n,options:r,value:e[t].value,onChoose:n=>R(()=>{e[t].value=n,a&&(e[a].value=null)})});return q(S,{children:[c.length>1&&l(`quantity`,`joined`,c,`ends`),!r&&l(`scale`,`list`,o(`scale`,Af),`ends`),s.length>1&&l(`group`,`list`,s,`viewport`),!r&&Math.max(n.rows,n.columns)>Nf&&l(`reduce`,`list`,o(`reduce`,Mf)),!r&&e.viewport.value&&q(`button`,{type:`button`,class:`rg-button`,title:i(`view.fit.title`),onClick:()=>Nr(e),children:i(`view.fit`)})]})}function Ff({state:e,trace:t}){let n=W(),r=e.tap.value,{row_sum_error:i,difference:a,rows:o,dtype:s}=t.receipt,{value:c}=e.quantity,l=c===`weight`?[]:[n(`quantity.${c}`)];return q(`footer`,{class:`rg-row rg-receipt`,children:[q(`p`,{class:`rg-note`,children:[...r&&e.view.value===`map`?[pn(n,c,r,[e.head.value]),...l]:[],...[...r?.notes??[],...(t.notes??[]).filter(e=>!oc(e))].map(e=>sc(n,e))].join(` · `)}),q(`p`,{class:`rg-note`,title:n(`receipt.title`,{rows:o}),children:U(n(`receipt`,{rows:o,dtype:s}),{sums:q(`span`,{class:`rg-number`,children:G(i)}),most:q(`span`,{class:`rg-number`,children:G(a)})})})]})}function If(e){let[t,n]=De({width:0,height:0});return ke(()=>{let t=e.current;if(!t)return;let r=()=>{let{clientWidth:e,clientHeight:r}=t;n(t=>t.width===e&&t.height===r?t:{width:e,height:r})};r();let i=new ResizeObserver(r);return i.observe(t),()=>i.disconnect()},[e.current]),t}var Lf=.005,Rf=2e4;function zf(e,t){let n=[],r={count:0,value:0},i=e.reduce((e,t)=>e+t.values.length,0);return e.forEach((e,a)=>{let o=i>Rf?Lf*Wf(e.values):0;for(let i=0;i<e.height;i++)for(let s=0;s<e.width;s++){let c=e.values[i*e.width+s];c>0&&t(i,s)&&(c>=o?n.push({slot:a,query:i,key:s,value:c}):Uf(r,c))}}),{lines:n,more:r}}function Bf(e,t,n){let r=new Map,i=new Set,a={count:0,value:0};for(let{slot:o,side:s,position:c,looks:l,of:u}of e){for(let e of l.looks){let[a,l]=s===`query`?[c,e.position]:[e.position,c],[u,d]=[ir(t,a),ir(n,l)],f=t[u],p=`${o} ${a} ${l}`;if(!f||d<0||!(e.weight>0)||i.has(p))continue;i.add(p);let m=`${o} ${u} ${d}`,h=r.get(m)??{slot:o,query:u,key:d,value:0};h.value+=e.weight/(f.end-f.first),r.set(m,h)}let e=s===`query`?t[ir(t,c)]:void 0,d=u-l.looks.length;d>0&&l.rest>0&&(a.count+=d,a.value+=l.rest/(e?e.end-e.first:1))}return{lines:[...r.values()],more:a}}function Vf({lines:e,more:t},n=300){let r=[...e].sort((e,t)=>t.value-e.value),i=r.slice(n).reduce((e,t)=>Uf(e,t.value),{...t}),a=r.slice(0,n).reverse();return{lines:a,more:i,total:a.reduce((e,t)=>e+t.value,i.value)}}function Hf({lines:e,more:t},n){let r=e.filter(n).reduce((e,t)=>Uf(e,t.value),{...t});return{lines:e.filter(e=>!n(e)),more:r}}function Uf(e,t){return e.count+=1,e.value+=t,e}function Wf(e){let t=0;for(let n of e)n>t&&(t=n);return t}function Gf(e,t,n,r){let i=H(null),a=H([]);return F(()=>{i.value=null,a.value=[]},r),F(()=>{e.toward.value=a.value.at(-1)??null},[a.value]),{hover:i,columns:a,locked:L(()=>Jf(t,e.locked.value,n,a.value),[t,n,e.locked.value,a.value]),release:()=>{e.locked.value=[],a.value=[],i.value=null}}}function Kf(e,t){F(()=>(e.about.value=t,()=>{e.about.value=null}),[t?.query,t?.key])}function qf(e,t){return new Set(t.map(t=>ir(e,t)).filter(e=>e>=0))}function Jf(e,t,n,r){let i=(e,t,n)=>[...qf(t,n)].map(t=>({side:e,index:t}));return[...i(`key`,n,r),...i(`query`,e,t)]}function Yf(e,t){let n=e.filter(e=>e<t.first||e>=t.end);return n.length<e.length?n:[...e,t.first]}function Xf(e,t,n){let r=null,i=-1/0;for(let a=t.first;a<Math.min(t.end,e.height);a++)for(let t=n.first;t<Math.min(n.end,e.width);t++){let n=e.values[a*e.width+t];n>i&&([r,i]=[{query:a,key:t},n])}return r}var Zf=32,Qf=240;function $f(e,t){let n=e.trace.value,r=e.tap.value,i=e.group.value,a=r?za(e.quantity.value,r):`weight`,o=r?t.filter(({head:e})=>e===`mean`||e<r.heads):[];return Z(n&&r&&o.length?JSON.stringify([n.id,r.name,o,a,i]):null,async t=>{let[s,c]=[n,r],[l,u]=[s.axes[c.queries],s.axes[c.keys]];if(!l||!u)throw Error(`this trace does not name the tokens of this layer`);let d=nr(l,i)&&nr(u,i)?i:`token`,[f,p]=[tr(l,d),$n(u,d)],m={trace:s,tap:c,heads:o,quantity:a,queries:f,keys:p};if(!Ra(c))return{...m,tokens:null,maps:null};let h={first:0,end:c.rows},g=await Promise.all(o.map(({head:n})=>Va(e.source,s.id,c,n,a,h,t)));return{...m,tokens:g,maps:g.map(e=>Ha(e,f,p))}})}function ep(e,t,n){return Z(t&&!t.maps&&n.length>0?JSON.stringify([t.trace.id,t.tap.name,t.heads,t.quantity,t.queries.length,n]):null,r=>{let{trace:i,tap:a,heads:o,quantity:s,queries:c,keys:l}=t,u=Math.max(8,Math.floor(Qf/o.length)),d=[];for(let{side:t,index:f}of n){let n=(t===`query`?c:l)[f];if(n){if(n.end-n.first>Zf)throw Error(`“${n.label.slice(0,24)}…” is too long to follow; show words or tokens instead`);for(let c=n.first;c<n.end;c++)o.forEach(({head:n},o)=>{let l={tap:a.name,head:n,k:u,quantity:s,[t]:c},f=t===`key`?a.rows:a.causal?Math.min(c+1,a.columns):a.columns;d.push(e.source.looks(i.id,l,r).then(e=>({slot:o,side:t,position:c,looks:e,of:f})))})}}return Promise.all(d)})}var[tp,np]=[.75,8],rp=3,ip=180,ap=[];function op({state:e}){let t=W(),n=Bu(Ru(e)),r=$f(e,n),i=r.value,a=H(0),o=I(null),{width:s,height:c}=If(o),l=i?.queries??ap,u=i?.keys??ap,{hover:d,columns:f,locked:p,release:m}=Gf(e,l,u,[i?.trace.id,i?.tap.queries,i?.tap.keys,i?.queries.length]),h=Math.max(l.length,u.length),g=gc(c,h),_=L(()=>{let e=Array.from({length:h},(e,t)=>({start:t*g+1,end:(t+1)*g-1}));return{query:e.slice(0,l.length),key:e.slice(0,u.length)}},[l.length,u.length,g]),v=d.value&&!Ec(p,d.value)?[...p,d.value]:[...p],y=l[v.filter(({side:e})=>e===`query`).at(-1)?.index??-1];Kf(e,y?{query:y.first,key:0}:null);let b=[Math.ceil(a.value/g-.5),Math.floor((a.value+c)/g-.5)+1];if(i&&!i.maps&&v.length===0&&l.length){let t=[...qf(l,e.focus.value?[e.focus.value.query]:[])][0];v.push({side:`query`,index:t??Math.max(0,Math.min(l.length,b[1])-1)})}F(()=>{let t=i&&!i.maps&&e.focus.value?ir(l,e.focus.value.query):-1;t>=0&&o.current?.scrollTo(0,t*g-.8*o.current.clientHeight)},[i?.trace.id,l.length,c>0]);let x=ep(e,i,v),S=v.length>0,C=e.sinkless.value,w=L(()=>{if(!i)return Vf({lines:[],more:{count:0,value:0}});let e=e=>C?Hf(e,({key:e})=>u[e]?.first===0):e;if(!i.maps)return Vf(e(Bf(x.value??[],l,u)));let t=S?(e,t)=>Ec(v,{side:`query`,index:e})||Ec(v,{side:`key`,index:t}):e=>e>=b[0]&&e<b[1],n=e(zf(i.maps,t));return Vf(S||u.every(e=>e.special)?n:Hf(n,({key:e})=>u[e]?.special===!0))},[i,x.value,C,JSON.stringify(v),...S?[0,0]:b]),T=w.lines.at(-1)?.value??0,E=i?.heads??n,D=({slot:e})=>E[e]?.color??0,O=i?.quantity??`weight`,ee=L(()=>{let e=e=>T>0?Math.min(1,e.value/T):0;return w.lines.map(t=>{let n=(t.slot-(E.length-1)/2)*Math.min(rp,(g-8)/E.length),r=e=>hc(_[e][t[e]]??{start:0,end:0})+n;return{...t,from:r(`query`),to:r(`key`),width:tp+(np-tp)*e(t)}})},[w,_]),k=L(()=>{let e={query:new Map,key:new Map};if(!S)return e;for(let t of w.lines){let n={number:t.value>=.01*(O===`weight`?1:T)?mn(t.value,O):``,share:T?t.value/T:0,color:D(t)};Ec(v,{side:`query`,index:t.query})&&e.key.set(t.key,n),Ec(v,{side:`key`,index:t.key})&&e.query.set(t.query,n)}return e},[w]);if(!e.trace.value||!e.tap.value)return null;let A=e=>e===`query`?l:u,te=({side:t,index:n})=>{let r=A(t)[n];if(!r||!i)return;if(t===`key`)return void(f.value=Yf(f.value,r));e.locked.value=Yf(e.locked.value,r);let a=i.tokens?.[0]?Xf(i.tokens[0],r,{first:0,end:i.tap.columns}):null;e.focus.value=a??{query:r.first,key:x.value?.[0]?.looks.looks[0]?.position??0}},ne=t=>{let[n,r,a]=[l[t.query],u[t.key],E[t.slot]?.head];if(!n||!r||a===void 0)return;let o=i?.tokens?.[t.slot];e.head.value=a,e.focus.value=(o&&Xf(o,n,r))??{query:n.first,key:r.first},e.toward.value=e.focus.value.key,e.drawer.value=`cell`},j=i?.tap??e.tap.value,re=h*g>c+1&&c>0,M=Math.min(ip,Math.floor(.36*s)),ie=s-2*M,ae=r.error??x.error,oe=e=>{let t=v.filter(t=>t.side===e).map(({index:t})=>hc(_[e][t]??{start:0,end:0}));return t.length?{start:Math.min(...t)-2,end:Math.max(...t)+2}:{start:a.value,end:Math.min(_[e].length*g,a.value+c)}},se=w.total?w.more.value/w.total:0,ce=e=>({side:e,name:e,units:A(e),extents:_[e],shown:_c(a.value,c,g,A(e).length)});return q(`section`,{class:`rg-views rg-flow`,"aria-label":t(`flow`),"aria-busy":r.loading||x.loading,children:[q(`header`,{class:`rg-row rg-views__head`,children:[q(`p`,{class:`rg-note`,children:pn(t,O,j,E.map(e=>e.head))}),q(Pf,{state:e,trace:e.trace.value,tap:j,lines:!0})]}),ae&&q(`p`,{class:`rg-note rg-note--error`,role:`alert`,children:ae}),q(`div`,{class:`rg-flow__body`,children:[q(`div`,{class:`rg-flow__sides`,children:[q(`h3`,{children:[t(`query`),` `,q(`span`,{class:`rg-note`,children:fn(t,j.queries)})]}),q(`h3`,{children:[t(`key`),` `,q(`span`,{class:`rg-note`,children:fn(t,j.keys)})]})]}),q(`div`,{class:`rg-flow__window`,ref:o,style:{"--tokens":Math.max(h,1)},onScroll:e=>a.value=e.currentTarget.scrollTop,children:i&&ie>0&&q(Dc,{sides:[ce(`query`),ce(`key`)],down:!1,depth:ie,column:M,length:h*g,strands:ee,paint:e=>({name:`${e.slot} ${e.query} ${e.key}`,cell:`${l[e.query]?.first} ${u[e.key]?.first} 1`,color:`var(--rg-head-${D(e)})`,opacity:.1+.85*(e.value/T)**.8}),describe:e=>[`${l[e.query]?.label} → ${u[e.key]?.label}`,`${mn(e.value,O)} · ${dn(t,E[e.slot]?.head??0)}`],look:({side:e,index:t})=>({aside:String(A(e)[t]?.first),...k[e].get(t)}),active:v,locked:p,behind:se>0&&q(`path`,{class:`rg-flow__bundle`,d:Cc(ie,oe(`query`),oe(`key`)),style:{stroke:`none`,fill:E.length>1?`var(--rg-muted)`:`var(--rg-head-${E[0]?.color??0})`},"fill-opacity":.04+.12*se}),onHover:e=>d.value=e,onLock:te,onRelease:()=>{m(),e.toward.value=null},onPoint:t=>{let[n,r]=t?[l[t.query],u[t.key]]:[];e.hover.value=n&&r?{query:n.first,key:r.first}:null},onAsk:ne})})]}),q(`p`,{class:`rg-note rg-views__hint`,children:[w.more.count>0?t(`flow.more`,{count:w.more.count.toLocaleString(`en`),share:K(w.more.value/(w.total||1)),quantity:t(O)}):w.lines.length>0&&t(`flow.all`,{count:w.lines.length}),C&&` · ${t(`which.sinkless`)}`,!S&&re&&` ${t(`flow.visible`)}`,q(`span`,{"data-screen":!0,children:[` · `,U(t(`flow.hint`),{l:q(`kbd`,{children:`l`}),esc:q(`kbd`,{children:`Esc`})})]})]})]})}function sp({state:e,trace:t,image:n}){let r=W(),i=e.tap.value,a=H(null),o=e.focus.value?.query??0,s=a.value??o,c=I(null),{of:l,error:u}=up(e,t,s,c),d=i.queries===n.axis;Kf(e,a.value===null?null:{query:a.value,key:0});let[f]=t.labels??[],p=new Set(vl(e).map(so).flatMap(e=>e?.what===`token`&&e.axis===n.axis?[e.position]:[])),m=t=>{d&&(e.focus.value={query:t,key:t})},h=e=>{let t=l(e),r=e<n.extra&&f?`${n.tokens[e]} · ${f.token}`:n.tokens[e];return q(`button`,{type:`button`,role:`radio`,"aria-checked":e===o,"aria-label":`${r}${t?`, ${t.text}`:``}`,tabIndex:e===o?0:-1,class:`rg-patch${e===s&&d?` rg-patch--query`:``}${p.has(e)?` rg-patch--off`:``}`,style:t?.style,onPointerEnter:t=>d&&t.pointerType===`mouse`&&(a.value=e),onClick:()=>m(e),children:[e<n.extra&&q(`span`,{children:r}),t&&t.value>=.01&&q(`span`,{class:`rg-number rg-patch__share`,children:t.text})]},e)},g=n.tokens.map((e,t)=>t),_={first:o,end:o+1},v=n.tokens[o]??``;return q(`section`,{class:`rg-views rg-image`,"aria-label":r(`image`),children:[q(`div`,{ref:c,class:`rg-image__patches`,role:`radiogroup`,"aria-label":r(`axis.patches`),onPointerLeave:()=>a.value=null,onKeyDown:e=>{let t=e.ctrlKey||e.metaKey||e.altKey?null:Et(e.key,o,n);t!==null&&(e.preventDefault(),e.stopPropagation(),m(t),e.currentTarget.querySelectorAll(`button`)[t]?.focus())},children:[n.extra>0&&q(`div`,{class:`rg-row rg-image__whole`,children:g.slice(0,n.extra).map(h)}),q(lp,{image:n,children:g.slice(n.extra).map(h)})]}),u&&q(`p`,{class:`rg-note rg-note--error`,role:`alert`,children:u}),q(`header`,{class:`rg-row rg-views__head`,children:[q(`p`,{class:`rg-note`,children:pn(r,za(e.quantity.value,i),i,[e.head.value])}),q(Pf,{state:e,trace:t,tap:i,lines:!0}),bl(e)&&d&&o>=n.extra&&q(`button`,{type:`button`,class:`rg-button`,disabled:e.busy.value,onClick:()=>void(p.has(o)?El(e,wl(e,n.axis,_)):Tl(e,n.axis,_)),children:p.has(o)?`${r(`changed.back`)} ${v}`:r(`said.strike`,{word:v})})]}),q(`p`,{class:`rg-note rg-views__hint`,"data-screen":!0,children:r(`image.hint`)})]})}function cp({state:e,trace:t,image:n}){let r=W(),i=e.hover.value??e.focus.value,a=I(null),{of:o}=up(e,t,i?.query??0,a),s=e=>`${e===i?.query?` rg-patch--query`:``}${e===i?.key?` rg-patch--key`:``}`;return q(`div`,{class:`rg-image__seen`,ref:a,role:`img`,"aria-label":r(`image`),children:q(lp,{image:n,children:n.tokens.slice(n.extra).map((e,t)=>q(`span`,{class:`rg-patch${s(t+n.extra)}`,style:o(t+n.extra)?.style},e))})})}function lp({image:e,children:t}){let n=H(e.columns/e.rows);return q(`div`,{class:`rg-image__grid`,role:`presentation`,style:{"--columns":e.columns,"--aspect":n.value},children:[q(`img`,{src:e.source,alt:``,onLoad:({currentTarget:{naturalWidth:e,naturalHeight:t}})=>n.value=e/t}),t]})}function up(e,t,n,r){let i=e.tap.value,{value:a}=e.head,o=za(e.quantity.value,i),s=qi(r,e.dark.value),c=Math.min(n,i.rows-1),l=Ra(i)?0:c,{now:u,error:d}=Z(JSON.stringify([t.id,i.name,a,o,l]),n=>Va(e.source,t.id,i,a,o,{first:l,end:Ra(i)?i.rows:c+1},n)),f=L(()=>{if(!u)return null;let t=bn();xn(t,u.values);let n=xa([{...u,row:0,column:0}],{perRow:!1,rooted:ba(i.rows,i.columns),shares:o===`weight`});return Cn(Sn(e.scale.value,o,!1,t,i.columns,n),e.ends.value)},[u,e.scale.value,e.ends.value]),p=u?.values.subarray((c-l)*u.width,(c-l+1)*u.width),m=Math.max(...(p??[]).filter(e=>e>0),0);return{of:e=>{let t=p?.[e];if(t===void 0||Number.isNaN(t)||!f)return null;let n=wn(f,t,0,m),r=s?.(`weight`,n,1);return{value:t,text:mn(t,o),style:{"--ground":r?.background??``,"--ink":r?.color??``}}},error:d}}var dp={kind:`linear`,low:0,high:1,diverging:!1,root:2},fp=new Map;function pp(e,t){let n=I(null);return F(()=>{let r=e&&n.current?.getContext(`2d`);if(!r)return;let i=fp.get(t)??Wt(Hi(getComputedStyle(r.canvas),`--rg-panel`));fp.set(t,i),r.canvas.width=e.length;let a=r.createImageData(e.length,1);Tn(e,e.length,new Uint32Array(a.data.buffer),dp,i),r.putImageData(a,0,0)},[e,t]),n}var mp=48,hp=2e3,gp=300;function _p(e){return new Promise(t=>{let n=st(()=>{e.painted.value&&t()});setTimeout(()=>{n(),t()},e.view.peek()===`map`?hp:gp)})}var vp=new WeakMap;function yp(e,t){let n=vp.get(e),r=`${t} ${e.source.connection?.returns.peek()??0}`;if(n?.of===r)return n.overview;n?.overview.close();let i=bp(e.source,t,_p(e));return vp.set(e,{of:r,overview:i}),i}function bp(e,t,n=Promise.resolve()){let r=new Map,i=new Set,a=new AbortController,o=n,s=e=>{let t=r.get(e)??V(null);return r.set(e,t),t},c=async n=>{let r=[e.summary(t,n.name,a.signal),e.thumbnails(t,n.name,Ra(n)?256:mp,a.signal)],[i,o]=await Promise.all(r);s(n.name).value={summary:i,thumbnails:o}};return{of:s,want(e){i.has(e.name)||(i.add(e.name),o=o.then(()=>c(e)).catch(()=>void 0))},close:()=>a.abort()}}function xp(e,t,n,r,i,a={}){let o=Sp(e,n,a.query),s=i?o??-1:1/0;return{query:o,key:Sp(t.filter(e=>e.end<=s),r,a.key)}}function Sp(e,t,n=1/0){let r=t.trim().toLowerCase();if(!r)return;let i=e.filter(({label:e})=>e.toLowerCase().includes(r)),a=i.filter(({label:e})=>e.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu,``).length<=r.length),o=(a.length?a:i).map(({end:e})=>e-1);return o.filter(e=>e<n).at(-1)??o.at(-1)}function Cp({state:e,trace:t,tap:n}){let r=W(),[i,a]=L(()=>[Xa(t.axes[n.queries]),Xa(t.axes[n.keys])],[t,n.queries,n.keys]),o=H(``),s=I(``),c=t=>{let[r,c]=t.parentElement?.children,l=`${r.value}\n${c.value}`,u=l===s.current?e.focus.value:null,d=u&&t===c?{query:u.query+1,key:u.key}:{query:u?.query},{query:f,key:p}=xp(i,a,r.value,c.value,n.causal,d),m=f===void 0?r:c;if(o.value=p===void 0?m.value:``,f===void 0||p===void 0)return m.focus();s.current=l,t.blur(),R(()=>{e.view.value=`map`,e.focus.value={query:f,key:p},e.toward.value=p,Pr(e,{query:f,key:p})})};return q(`search`,{class:`rg-find`,children:[[`query`,`key`].map(e=>q(`input`,{class:`rg-field`,placeholder:r(e),onKeyDown:({key:e,currentTarget:t})=>e===`Enter`&&c(t)},e)),o.value&&q(`p`,{class:`rg-note rg-note--error`,role:`alert`,children:r(`find.none`,{word:o.value})})]})}function wp(e,t,n,r,i,a,o=null,s=!1){let c=n.height*n.width,l=e=>Ha({...n,values:n.values.subarray(e*c,(e+1)*c)},[r.rows],i).values,u=t===`mean`?Dp(Array.from({length:e.heads},(e,t)=>l(t))):l(t),d=s?Ua(u):u,[f,p]=[-1,-1];d.forEach((e,t)=>{let n=i[t];e>(d[p]??0)&&(p=t);let s=a&&n.first>=r.rows.first&&n.first<r.rows.end;(o===null?ao(n)&&!s:Tp(n,o))&&e>(d[f]??0)&&(f=t)});let[m,h]=[i[f],i[p]],g=m&&{label:m.label,share:d[f],position:m.first};return{tap:e,head:t,cells:d,best:g?o===null?Ep(g,r,e,a):{...g,worth:g.share}:null,special:h?.special?h.label:``}}var Tp=({first:e,end:t},n)=>e<=n&&n<t;function Ep(e,t,n,r){let i=io(r?t.rows.first:(t.rows.first+.5)*n.columns/n.rows-.5,e.position,n.columns);return{...e,worth:e.share*(r?i:(1+i)/2)}}function Dp(e){return e[0].map((t,n)=>e.reduce((e,t)=>e+t[n],0)/e.length)}var Op=192;function kp(e,t,{looks:n},r,i,a,o=e.columns){let s=new Float32Array(Math.min(Op,o));for(let{position:e,weight:t}of n){if(e>=o)continue;let n=Math.floor(e*s.length/o);s[n]=s[n]+t}let c=n.map(({position:e,token:t,weight:n})=>({label:J(t,i),share:n,position:e})),l=c.find(e=>ao(e)&&!(a&&ir([r.rows],e.position)===0))??null,[u]=c;return{tap:e,head:t,cells:s,best:l&&Ep(l,r,e,a),special:u&&/^[<[]/.test(u.label)?u.label:``}}function Ap(e){let t=({cells:e,best:t})=>e?t?.worth??0:-1;return e.map((e,t)=>({each:e,at:t})).sort((e,n)=>t(n.each)-t(e.each)||e.at-n.at).map(({each:e})=>e)}function jp(e,t){let n=t.filter(({head:e})=>e!==`mean`),r=new Map;for(let{special:e}of n)e&&r.set(e,(r.get(e)??0)+1);let[i]=[...r].sort((e,t)=>t[1]-e[1]);return i?e(`which.sunk`,{count:i[1],of:n.length,token:i[0]}):``}function Mp(e,{pattern:t,patterns:n,entropy:r,distance:i}){let a=n.find(e=>e.name===t);return`${a?e(`pattern.share`,{name:e(`pattern.${a.name}`),share:K(a.share),chance:K(a.chance)}):e(`pattern.none`)}; ${e(`which.entropy`,{entropy:r.toFixed(2)})}${i===null?``:`, ${e(`which.distance`,{distance:i.toFixed(1)})}`}`}var Np=[[`encoder`,`self`],[`decoder`,`self`],[`decoder`,`cross`]],Pp=96,Fp=24,Ip=200,Lp=16;function Rp({state:e,trace:t}){let n=W(),r=e.tap.value,i=(e,n)=>t.taps.filter(t=>t.side===e&&t.kind===n).sort((e,t)=>e.layer-t.layer),a=i(r?.side,r?.kind),o=e.word.value?.axis===r?.queries?e.word.value:null,s=r&&e.toward.value!==null&&Ra(r)?Xa(t.axes[r.keys]):[],c=s[ir(s,e.toward.value??0)]?.label,l=r!==null&&!Ra(r)&&e.source.between&&!t.axes[r.keys]?.peaks,u=l?zp(e,a.length*(r.heads+1)>Pp):null,d=Vp(e,t,r,u),f=Ap(Hp(e,t,a,u!==null)),p=f.filter((t,n)=>n<Pp||Wp(e,t)),{stop:m,onFocusIn:h}=qp(p.map(Up),Up({tap:r,head:e.head.value}));if(!r)return q(`p`,{class:`rg-which`,children:n(`which.none`)});let g=({tap:t,head:n,best:i},a)=>R(()=>{a&&e.view.value===`sentence`&&t.name===r.name?zu(e,n):ys(e,t,n),o&&i&&(e.focus.value={query:o.rows.first,key:i.position})}),_=Np.filter(([e,t])=>i(e,t).length),v=jp(n,f),y=(d.now??[]).map(n=>{let i=t.taps.find(({name:e})=>e===n.tap);return{label:`${i.layer}·${n.head}`,share:n.weight,own:r===i&&e.head.value===n.head,onChoose:()=>ys(e,i,n.head)}}),b=(e,n)=>q(`strong`,{children:[Bp(t.axes[e],n),` `,q(`span`,{class:`rg-note`,children:cn(n)})]}),x=u?q(S,{children:[b(r.queries,u.query),` → `,b(r.keys,u.key)]}):o&&!(l&&f.length>Pp)&&q(`strong`,{children:c?`${o.label} → ${c}`:o.label}),[C,w]=u?[y.length,f.filter(({head:e})=>e!==`mean`).length]:[p.length,f.length],T=o&&e.view.value===`sentence`&&r.kind===`self`&&t.task!==`vision`&&Ra(r),E=yp(e,t.id);return q(`nav`,{class:`rg-which`,"aria-label":n(`which`),onKeyDown:Kp,onFocusIn:h,children:[_.length>1&&q(rc,{name:n(`which.kind`),label:``,look:`joined`,options:_.map(([e,t],r)=>[r,n(`which.${t===`cross`?t:e}`)]),value:_.findIndex(([e,t])=>e===r.side&&t===r.kind),onChoose:t=>{let n=i(..._[t]);ys(e,n[Math.min(r.layer,n.length-1)],e.head.value)}}),l&&q(Cp,{state:e,trace:t,tap:r}),q(`h2`,{class:`rg-which__title`,children:[x?U(n(`which.for`),{word:x}):n(l?`key.find`:`which.point`),` `,q(`span`,{class:`rg-note`,children:[n(`which.place`),o&&!c&&!u&&`; ${n(`which.far`)}`,e.sinkless.value&&`; ${n(`which.sinkless`)}`]})]}),d.error&&q(`p`,{class:`rg-note rg-note--error`,role:`alert`,children:d.error}),u?q(Oc,{rows:y}):q(`ul`,{class:`rg-which__looks`,children:p.map(t=>q(Jp,{state:e,look:t,info:Gp(E.of(t.tap.name).value,t),stop:Up(t)===m,onChoose:e=>g(t,e)},Up(t)))}),q(`p`,{class:`rg-note`,children:[(u||v)&&!e.sinkless.value&&`s: ${n(`key.sink`)}`,T&&!c&&n(`which.toward`),v,C<w&&n(`which.rows`,{count:C,of:cn(w)})].filter(Boolean).join(`; `)})]})}function zp({focus:e,toward:t,view:n},r){return!e.value||t.value===null&&n.value===`sentence`&&!r?null:{query:e.value.query,key:t.value??e.value.key}}var Bp=(e,t)=>or(e?.tokens??[],t,Y(e?.tokens.slice(0,1e3)??[]));function Vp({source:e,sinkless:t},n,r,i){let a={tap:r?.name,...i,count:Fp,sink:!t.value};return Z(i&&JSON.stringify([r?.queries,r?.keys,i,a.sink]),async t=>await e.between?.(n.id,a,t)??[])}function Hp(e,t,n,r){let i=yp(e,t.id),[a]=n,o=a!==void 0&&Ra(a),s=e.word.value?.axis===a?.queries?e.word.value:null,c=e.toward.value,l=a&&t.axes[a.keys],u=a?.queries===a?.keys,d=n.flatMap(e=>[...Array.from({length:e.heads},(e,t)=>t),...e.heads>1?[`mean`]:[]].map(t=>({tap:e,head:t})));F(()=>{for(let t of n)(o||t.name===e.tapName.value)&&i.want(t)},[i,a?.name,o,e.tapName.value]);let f=e.sinkless.value,p=s&&!o&&!r&&d.length<=Pp?JSON.stringify([a?.name,s.rows]):null,{now:m}=Z(p,async n=>{await new Promise(e=>setTimeout(e,Ip)),n.throwIfAborted();let r=Y(l.tokens.slice(0,1e3));return Promise.all(d.map(async({tap:i,head:a})=>kp(i,a,await e.source.looks(t.id,{tap:i.name,head:a,query:s?.rows.first??0,k:Lp,quantity:`weight`},n),s,r,u,l?.peaks?.length)))}),h=n.map(e=>i.of(e.name).value),g={cells:null,best:null,special:``};return L(()=>{if(!o)return m??d.map(e=>({...e,...g}));let e=Xa(l);return d.map(({tap:t,head:r})=>{let i=h[n.indexOf(t)];return s&&i?wp(t,r,i.thumbnails,s,e,u,c,f):{tap:t,head:r,...g}})},[t,a?.name,s,c,m,p,f,...h])}var Up=({tap:e,head:t})=>`${e?.name} ${t}`,Wp=(e,{tap:t,head:n})=>e.tapName.value===t.name&&e.head.value===n,Gp=(e,{head:t})=>e?.summary.heads.find(e=>e.head===t);function Kp(e){let t=[...e.currentTarget.querySelectorAll(`.rg-look`)],n=t.findIndex(t=>t===e.target),r=n<0?null:kc(e,n,t.length,[`ArrowUp`,`ArrowDown`]);r!==null&&(e.preventDefault(),e.stopPropagation(),t[r]?.focus())}function qp(e,t){let n=H(``);return F(()=>{n.value=``},[t]),{stop:[n.value,t].find(t=>e.includes(t))??e[0],onFocusIn:({target:e})=>{n.value=e instanceof HTMLElement&&e.dataset.key||n.value}}}function Jp({state:e,look:t,info:n,stop:r,onChoose:i}){let a=W(),{tap:o,head:s,cells:c,best:l,special:u}=t,d=pp(c,e.dark.value),f=e.view.value===`sentence`&&e.tapName.value===o.name?Bu(Ru(e)).find(e=>e.head===s)?.color:void 0,p=l?`${l.label} ${K(l.share)}`:``,m=`${a(`layers.layer`,{layer:o.layer})}, ${dn(a,s)}`,h=[`${m}${p&&`: ${p}`}${u&&`, ${a(`which.mostly`,{token:u})}`}`,n&&Mp(a,n),e.view.value===`sentence`&&a(`which.beside`)];return q(`li`,{children:q(`button`,{type:`button`,class:`rg-look${vl(e).includes(uo(o.name,s))?` rg-look--off`:``}`,"data-key":Up(t),tabIndex:r?0:-1,"aria-current":Wp(e,t)||f!==void 0?`true`:void 0,"aria-label":p?`${m}: ${p}`:m,title:h.filter(Boolean).join(`
`),style:f===void 0?void 0:{"--line":`var(--rg-head-${f})`},onClick:e=>i(e.shiftKey),children:[q(`span`,{class:`rg-look__place rg-note rg-number`,children:[o.layer,`·`,s]}),q(`canvas`,{ref:d,class:`rg-look__cells`,width:1,height:1}),l&&q(`span`,{class:`rg-look__best rg-note`,children:[q(`span`,{class:`rg-cut`,children:l.label}),` `,K(l.share)]})]})})}var Yp={lesson:`words`,text:null,spotlight:null,chosen:{}};function Xp(e){e.learn.value=Yp}function Zp(e,t){let{value:n}=e.learn;n&&(e.learn.value={...n,...t(n)})}var Qp=(e,t)=>Zp(e,()=>({lesson:t}));function $p(e,t){return Wo[Wo.findIndex(({name:t})=>t===e)+t]?.name??null}function em(e,t){let n=e.learn.value&&$p(e.learn.value.lesson,t);return n&&Qp(e,n),!!n}function tm(e,t){Zp(e,({spotlight:e,text:n,chosen:{struck:r,...i}})=>({text:t,spotlight:e!==null&&zo(n??`the boy eats an apple and an orange by the river`)[e]===zo(t)[e]?e:null,chosen:i}))}var nm=(e,t)=>Zp(e,e=>({chosen:{...e.chosen,...t}})),rm=(e,t)=>Zp(e,()=>({spotlight:t})),im=e=>Zp(e,({lesson:e})=>({...Yp,lesson:e}));function am(e){e.learn.value=null,e.trace.value||Yd(e,{...ss,theme:e.theme.value,language:e.language.value})}async function om(e,t,n){R(()=>{e.view.value=`sentence`,e.head.value=`mean`,e.viewport.value=null}),await xs(e,t),R(()=>{e.focus.value=n,e.drawer.value=n?`cell`:``,e.learn.value=null})}var sm=10,cm=e=>(t,n)=>{let r=t.tap.value;return r&&!t.learn.value?e(t,r,n):!1},lm=e=>cm((t,n,r)=>t.view.value===`map`&&e(t,r)),um=(e,t)=>lm((n,{shiftKey:r})=>{let i=r?sm:1;Ir(n,e*i,t*i)}),dm=e=>{let t=cm((t,n)=>ys(t,n,Tm(n,t.head.value,e)));return(n,r,i)=>n.learn.value?em(n,e):t(n,r,i)},fm=e=>cm((t,n)=>ys(t,Em(t,n,e),t.head.value)),pm=e=>cm(t=>Tf(t,e)),mm=[{keys:[`←`,`↑`,`→`,`↓`],means:`key.move`,does:{ArrowLeft:um(0,-1),ArrowUp:um(-1,0),ArrowRight:um(0,1),ArrowDown:um(1,0)}},{keys:[`[`],means:`key.head.previous`,does:{"[":dm(-1)}},{keys:[`]`],means:`key.head.next`,does:{"]":dm(1)}},{keys:[`{`],means:`key.layer.previous`,does:{"{":fm(-1)}},{keys:[`}`],means:`key.layer.next`,does:{"}":fm(1)}},{keys:[`+`,`−`],means:`key.zoom`,does:{"+":pm(1.5),"=":pm(1.5),"-":pm(1/1.5)}},{keys:[`0`],means:`key.fit`,does:{0:lm(Nr)}},{keys:[`s`],means:`key.sink`,does:{s:cm(({sinkless:e})=>void(e.value=!e.value))}},{keys:[`f`],means:`key.find`,does:{f:(e,t,n)=>xm(n,`.rg-find > input`)}},{keys:[`l`],means:`key.lock`,does:{l:cm(Cm)}},{keys:[`e`],means:`key.equation`,does:{e:cm(({drawer:e})=>void(e.value=e.value===`cell`?``:`cell`))}},{keys:[`a`],means:`key.ablate`,does:{a:cm(wm)}},{keys:[`x`],means:`key.strike`,does:{x:ym}},{keys:[`p`],means:`key.pull`,does:{p:bm}},{keys:[`/`],means:`key.text`,does:{"/":(e,t,n)=>xm(n,`.rg-line, .rg-sentence__text`)}},{keys:[`enter`],means:`key.enter`},{keys:[`?`],means:`key.help`,does:{"?":({help:e})=>void(e.value=!e.value)}},{keys:[`esc`],means:`key.close`,does:{Escape:Sm}}],hm=Object.assign({},...mm.map(({does:e})=>e));function gm(e,t,n){let r=hm[t.key];return r!==void 0&&!(t.ctrlKey||t.metaKey||t.altKey)&&r(e,t,n)!==!1}function _m(e,{key:t}){if(t===`Escape`)return!1;let n=e.tagName.toLowerCase();return n===`textarea`||n===`select`||n===`input`&&e.type!==`checkbox`||t.startsWith(`Arrow`)&&[`tab`,`slider`,`menuitem`,`option`,`radio`,`listbox`].includes(e.role??``)}function vm(e){return e.querySelector(`li:hover > [data-word]`)??e.querySelector(`li:focus-within > [data-word]`)}function ym(e,t,n){let r=vm(n)?.parentElement?.querySelector(`.rg-translation__strike`);return r?.click(),!!r}function bm(e,t,n){let[r,i]=vm(n)?.dataset.word?.split(` `)??[],a=r===`output`?n.querySelector(`[data-handle="${i}"]`):null;return a?.focus(),!!a}function xm(e,t){let n=e.querySelector(t);return n?.focus(),n?.select(),!!n}function Sm(e){if(e.cancel.value)e.cancel.value();else if(e.help.value)e.help.value=!1;else if(e.drawer.value)e.drawer.value=``;else if(e.focus.value)e.focus.value=null;else return!1;return!0}function Cm({hover:e,focus:t,locked:n}){let r=(e.value??t.value)?.query;if(r===void 0)return!1;let i=n.value.filter(e=>e!==r);return n.value=i.length<n.value.length?i:[...i,r].sort((e,t)=>e-t),!0}function wm(e){let t=e.hover.value??e.focus.value;return t?(e.focus.value=t,e.drawer.value=`cell`,Ns(e,Ms(e,`edge`,t)),!0):!1}function Tm(e,t,n){let r=e.heads+1,i=((t===`mean`?e.heads:t)+n+r)%r;return i===e.heads?`mean`:i}function Em(e,t,n){let r=(e.trace.value?.taps??[]).filter(e=>e.side===t.side&&e.kind===t.kind).sort((e,t)=>e.layer-t.layer),i=r.findIndex(e=>e.name===t.name)+n;return r[Math.max(0,Math.min(r.length-1,i))]??t}function Dm({text:e,onChoose:t}){let n=W();return q(`label`,{class:`rg-row rg-ask__image`,children:[Ot(e)&&q(`img`,{src:e,alt:``}),q(`span`,{class:`rg-button`,children:n(`image.choose`)}),q(`input`,{type:`file`,accept:`image/*`,onChange:e=>{let[n]=e.currentTarget.files??[];n&&kt(n,t)}})]})}function Om({state:e,onOpen:t}){let n=je(),r=W(),i=H(null),a=H(``),o=H(null),s=H(!1),c=t=>{t&&e.source.offer().then(e=>i.value=e,e=>o.value=Fs(e))},l=async n=>{if(n.trim()){s.value=!0,o.value=null;try{t((await Es(e,n.trim())).name)}catch(e){o.value=Fs(e)}finally{s.value=!1}}},u=i.value?.cached??[];return q(`details`,{class:`rg-ask__part`,onToggle:e=>c(e.currentTarget.open),children:[q(`summary`,{class:`rg-ask__name rg-note`,children:r(`ask.another`)}),q(`p`,{class:`rg-note`,children:U(r(`ask.folder`),{command:q(`code`,{children:`regard look FOLDER "a text"`})})}),q(`label`,{class:`rg-note`,for:`${n}-name`,children:r(`ask.hub`)}),q(`div`,{class:`rg-ask__row`,children:[q(`input`,{id:`${n}-name`,class:`rg-field`,list:`${n}-cached`,placeholder:u[0]??`openai-community/gpt2`,spellcheck:!1,value:a.value,onInput:e=>a.value=e.currentTarget.value,onKeyDown:e=>{e.key===`Enter`&&(e.preventDefault(),l(a.value))}}),q(`datalist`,{id:`${n}-cached`,children:u.map(e=>q(`option`,{value:e},e))}),q(`button`,{type:`button`,class:`rg-button`,disabled:s.value,onClick:()=>void l(a.value),children:r(s.value?`ask.opening`:`ask.open`)})]}),o.value&&q(`p`,{class:`rg-note rg-note--error`,role:`alert`,children:sc(r,o.value)}),q(`p`,{class:`rg-note`,children:[u.length>0&&q(S,{children:[r(`ask.here`),` `,u.map((e,t)=>q(S,{children:[t>0&&`, `,q(`button`,{type:`button`,class:`rg-link`,disabled:s.value,onClick:()=>void l(e),children:e},e)]})),`.`,` `]}),i.value&&(i.value.download?r(`ask.fetched`):U(r(`ask.fetch`),{command:q(`code`,{children:`regard studio --download`})}))]}),q(`label`,{class:`rg-note`,children:[r(`ask.trace`),` `,q(`input`,{type:`file`,accept:`.safetensors`,onChange:t=>{let[n]=t.currentTarget.files??[];n&&Ds(e,n)}})]})]})}function km({state:e}){let t=je(),n=W(),{model:r,text:i,options:a}=e.draft;wt(()=>{let t=e.trace.value;if(t){r.value=t.model,e.typing.peek()||(i.value=Ot(t.text)?t.text:Tt(t)?.source??t.text),a.value=ff(e.request.value??{model:``,text:``});return}let n=e.asking.value;n?[r.value,i.value]=[n.model,n.text]:r.peek()||(r.value=e.models.value[0]?.name??``)});let o=e.models.value,s=o.find(e=>e.name===r.value),c=t=>{let n=s?.example;r.value=t;let a=e.models.value.find(e=>e.name===t),o=i.value.trim()&&i.value!==n&&Ot(i.value)===(a?.task===`vision`);l(!o&&a?.example||i.value)},l=t=>{i.value=t,t.trim()&&!e.busy.value&&vf(e,n)},u=s||!r.value?o.map(e=>e.name):[r.value,...o.map(e=>e.name)];return q(`form`,{class:`rg-ask`,"aria-label":n(`ask.form`),onSubmit:t=>{t.preventDefault(),vf(e,n)},children:[s?.task===`vision`&&q(Dm,{text:i.value,onChoose:l}),q(`div`,{class:`rg-ask__row`,children:[q(`select`,{class:`rg-select`,"aria-label":n(`model`),value:r.value,disabled:!u.length,onChange:e=>c(e.currentTarget.value),children:u.map(e=>q(`option`,{value:e,selected:e===r.value,children:e},e))}),q(`button`,{type:`submit`,class:`rg-button rg-button--main`,disabled:gs(e)||!s,title:s||!r.value?n(`ask.enter`):n(`ask.unknown`,{model:r.value}),children:n(gs(e)?`ask.looking`:`ask.look`)})]}),s&&q(`p`,{class:`rg-note`,children:s.description}),!s&&r.value&&q(`p`,{class:`rg-note`,children:n(`ask.fixed`)}),s?.example&&i.value!==s.example&&q(`button`,{type:`button`,class:`rg-ask__name rg-note`,onClick:()=>l(s.example),children:n(`ask.sample`)}),e.source.abilities.open&&q(Om,{state:e,onOpen:c}),s&&q(mf,{id:t,own:s.options,notes:e.source.draws??[],chosen:a.value,onChange:e=>a.value=e})]})}function Am({state:e}){return q(`div`,{class:`rg-rail`,children:[q(jm,{state:e}),e.source.abilities.trace?q(km,{state:e}):q(Nm,{state:e})]})}function jm({state:e}){let t=W();return q(`header`,{class:`rg-row rg-rail__brand`,children:[q(`h1`,{class:`rg-panel__title`,children:`regard`}),e.source.abilities.explain&&q(Mm,{state:e}),q(`div`,{class:`rg-row`,children:[q(rc,{name:t(`language`),label:``,look:`list`,options:Lt,value:e.language.value,onChoose:t=>e.language.value=t}),q(Fm,{state:e}),q(`button`,{type:`button`,class:`rg-button rg-button--bare rg-button--square`,"aria-label":t(`help`),title:`${t(`help`)} (?)`,onClick:()=>e.help.value=!0,children:`?`})]})]})}function Mm({state:e}){let t=e.learn.value!==null,n=W();return q(rc,{name:`what to do`,label:``,look:`joined`,options:[[`inspect`,n(`inspect`),n(`lookInto`)],[`learn`,n(`learn`),n(`learnHow`)]],value:t?`learn`:`inspect`,onChoose:n=>t===(n===`learn`)||(n===`learn`?Xp:am)(e)})}function Nm({state:e}){let t=e.trace.value;return t?q(`section`,{class:`rg-fixed`,"aria-label":`model`,children:[q(`p`,{class:`rg-fixed__model`,children:t.model}),(e.source.leftOut??[]).map(e=>q(`p`,{class:`rg-note`,children:e},e))]}):null}var Pm={system:`◐`,light:`○`,dark:`●`};function Fm({state:e}){let t=W(),n=e.theme.value,r=matchMedia(`(prefers-color-scheme: dark)`).matches?[`system`,`light`,`dark`]:[`system`,`dark`,`light`],i=r[(r.indexOf(n)+1)%r.length];return q(`button`,{type:`button`,class:`rg-button rg-button--bare rg-button--square`,"aria-label":t(`theme`,{theme:t(`theme.${n}`),next:t(`theme.${i}`)}),title:t(`theme`,{theme:t(`theme.${n}`),next:t(`theme.${i}`)}),onClick:()=>e.theme.value=i,children:q(`span`,{"aria-hidden":`true`,children:Pm[n]})})}function Im({lesson:e,chosen:t,words:n,onChoose:r}){if(!e.controls.length)return null;let i=W(),a=qo(e,t),o=a.projections===`trained`||e.own===!0,s={head_dim:!o,heads:!o,layer:o,head:o,window:a.mask===`window`},c=t=>{let n=t===`layer`&&e.name===`cross`?Io.layer.slice(0,Lm):Io[t],o=e=>typeof e==`boolean`?i(e?`on`:`off`):e===null?i(`all`):typeof e==`number`?String(e):zm[e]??i(e);return q(rc,{name:i(Rm[t]??t),options:n.map((e,t)=>[t,o(e)]),value:n.indexOf(a[t]),onChoose:e=>r({[t]:n[e]})},t)};return q(`div`,{class:`rg-row rg-controls`,role:`group`,"aria-label":i(`change`),children:e.controls.map(e=>e===`temperature`?q(Bm,{name:i(e),values:Lo,place:Lo.findIndex(e=>e===a.temperature),onChoose:e=>r({temperature:Lo[e]??1})},e):e===`swap`?q(Vm,{words:n,swap:a.swap,onChoose:e=>r({swap:e})},e):e in Io&&(s[e]??!0)&&c(e))})}var Lm=2,Rm={score:`similarity`,head_dim:`dimensions`,window:`sides`,projections:`matrices`},zm={dot:`q·k`,scaled_dot:`q·k / √d`};function Bm({name:e,values:t,place:n,onChoose:r}){let i=je(),a=t[n];return q(`span`,{class:`rg-choice rg-slider`,children:[q(`label`,{for:i,class:`rg-choice__name rg-note`,children:e}),q(`input`,{id:i,type:`range`,min:0,max:t.length-1,step:1,value:n,"aria-valuetext":String(a),onInput:e=>r(Number(e.currentTarget.value))}),q(`output`,{class:`rg-slider__value rg-number`,for:i,children:a})]})}function Vm({words:e,swap:t,onChoose:n}){let r=W(),[i,a]=Bo(t,e.length),o=(t,r,i)=>q(rc,{name:t,label:``,look:`list`,options:e.map((e,t)=>[t,`${t+1} ${e}`]),value:r,onChoose:e=>n(i(e))});return q(`span`,{class:`rg-choice`,role:`group`,"aria-label":r(`swap.group`),children:[q(`span`,{class:`rg-choice__name rg-note`,children:r(`swap`)}),o(r(`swap.first`),i,e=>[e,a]),q(`span`,{"aria-hidden":`true`,children:`⇄`}),o(r(`swap.second`),a,e=>[i,e])]})}function Hm(e,t){return e===`</s>`?t(`end`):e.replaceAll(`▁`,``)||`␣`}function Um(e,t){let{explanation:n,geometry:r}=e;if(n.settings.tap===null)return e;let i=e=>e.map(e=>Hm(e,t));return{...e,explanation:{...n,tokens:i(n.tokens),key_tokens:i(n.key_tokens)},geometry:r&&{...r,token:Hm(r.token,t)}}}function Wm({steps:e},t,n=0){let r=e.find(e=>e.name===t);return r?r.values[r.per_head?n:0]??null:null}function Gm(e,t,n=0){let r=r=>Wm(e,r,n)?.[t]??[],[i,a,o]=[r(`masked`),r(`weights`),Wm(e,`value`,n)??[]];return{looks:e.key_tokens.map((e,t)=>{let n=a[t]??0;return{key:t,word:e,score:i[t]??null,weight:n,given:(o[t]??[]).map(e=>n*(e??0))}}),output:r(`attended`).map(e=>e??0)}}function Km(e){let t=0;for(let n of e)for(let e of n)t=Math.max(t,Math.abs(e??0));return t||1}function qm(e,t){return Math.sqrt(e.reduce((e,n,r)=>e+(n-(t[r]??0))**2,0))}var Jm=40,Ym=14,Xm=78,Zm=7,Qm=84;function $m({name:e,kind:t,rows:n,columns:r,across:i,values:a,bare:o=!1,spotlight:s,onPoint:c,onChoose:l}){let u=I(null),{width:d}=If(u),f=Ki(),p=a[0]?.length??0,m=o?0:Qm,h=Math.max(Zm,Math.min(Xm,Math.floor((d-m)/Math.max(1,p))-1)),g=m+p*(h+1)>d,_=h>=Jm,v=t===`weight`?1:Km(a),y=e=>r?.[e]??String(e+1);return q(`div`,{ref:u,class:`rg-matrix`,...g&&{tabIndex:0,role:`region`,"aria-label":e},children:d>0&&q(`table`,{class:`rg-matrix__table`,"aria-label":`${e}: a row for each word, columns are ${i}`,onPointerLeave:()=>c?.(null),children:[q(`thead`,{class:o?`rg-unseen`:void 0,children:q(`tr`,{children:[q(`td`,{class:`rg-matrix__corner`,children:i&&`${i} →`}),Array.from({length:p},(e,t)=>q(`th`,{scope:`col`,class:`rg-matrix__column${r&&!_?` rg-matrix__column--steep`:``}`,children:q(`span`,{class:h<Ym?`rg-unseen`:void 0,children:y(t)})},t))]})}),q(`tbody`,{children:a.map((i,a)=>q(`tr`,{class:a===s?`rg-matrix__row rg-matrix__row--lit`:`rg-matrix__row`,onPointerEnter:()=>c?.(a),onClick:()=>l?.(a),children:[q(`th`,{scope:`row`,class:o?`rg-unseen`:`rg-matrix__name`,children:n[a]}),i.map((i,s)=>q(`td`,{class:`rg-matrix__cell rg-number${i===null?` rg-matrix__cell--hidden`:``}`,style:{width:`${h}px`,minWidth:`${h}px`,...o&&{height:`${h}px`},...f(t,o&&i!==null?Math.sqrt(i):i,v)},...Lc(`${n[a]}${r?` → `:`, number `}${y(s)}: ${e}`,i),children:[_?i===null?``:Fc(i):``,(!_||i===null)&&q(`span`,{class:`rg-unseen`,children:Fc(i)})]},s))]},a))})]})})}var eh=32,th=({source:e},t)=>Z(JSON.stringify(t),n=>e.inside(t,n));function nh({state:e,settings:{layer:t},words:n,spotlight:r}){let i=W(),a=n[r]??``;return q(Uh,{loaded:th(e,{text:n.join(` `),word:r,layer:t}),children:({parts:e,active:n,units:r})=>{let o=2*Math.max(...e.map(({deviation:e})=>e)),s=e.map(({name:e})=>i(`block.${e}`)),c=e=>t=>`${s[t]}: ${i(e)}`,l=[Bc(i(`block.numbers`,{count:eh,of:e[0]?.vector.length??0}),e=>s[e]??``,e.map(({vector:e})=>e.slice(0,eh)),o),Rc(i(`block.mean`),c(`block.mean`),e.map(({mean:e})=>e)),Rc(i(`block.deviation`),c(`block.deviation`),e.map(({deviation:e})=>e))],u=t=>/^(sum|x$)/.test(e[t]?.name??``);return q(S,{children:[q(Hc,{look:`rg-block`,label:i(`block`,{word:a,layer:t}),corner:i(`step`),words:s,columns:l,spotlight:-1,row:e=>u(e)?`rg-block__row--stream`:``}),q(`p`,{class:`rg-note`,children:i(`block.units`,{active:n,units:r,word:a})})]})}})}function rh({state:e,words:t,spotlight:n,onPoint:r,onChoose:i}){let a=W(),o=t[n]??``;return q(Uh,{loaded:th(e,{text:t.join(` `),word:n,layer:0}),children:({tokens:e,words:t,token:n,depths:s})=>{let c=e.map(e=>Hm(e,a)),l=e=>e===null?null:t[e-1]??null;return q(S,{children:[q(`p`,{class:`rg-note`,children:a(`layers`,{word:o})}),q($m,{name:a(`cosine`),kind:`signed`,rows:[a(`layers.itself`),...c],columns:s.map((e,t)=>t?a(`layers.layer`,{layer:t-1}):a(`layers.start`)),across:a(`layer`),values:[s.map(({unchanged:e})=>e),...c.map((e,t)=>s.map(({cosines:e})=>e[t]??0))],spotlight:n+1,onPoint:e=>r(l(e)),onChoose:e=>{let t=l(e);t!==null&&i(t)}})]})}})}function ih({state:e,model:t,settings:n,text:r,onSet:i}){let a=W(),{layer:o,step:s}=n;return q(Uh,{loaded:Z(JSON.stringify([t,r,o]),async n=>{let i=await Ss(e,{model:t,text:r},n),a=i.taps.filter(({kind:e})=>e===`cross`),s=a[Math.min(o,a.length-1)],[c,l]=s?[i.axes[s.keys],i.axes[s.queries]]:[];if(!s||!c||!l)throw Error(`${t} has no cross-attention; choose another lesson.`);let[u,d]=[$n(c,`word`),vu(l,`word`,`output`)],f={first:0,end:s.rows};return{keys:u,output:d,heads:await Promise.all(Array.from({length:s.heads},async(t,r)=>Ha(await Va(e.source,i.id,s,r,`weight`,f,n),d.map(e=>e.rows),u)))}}),children:({keys:e,output:t,heads:n})=>{let r=e=>e.title===`</s>`?Hm(`</s>`,a):e.label,o=Math.min(s,t.length-1),c=n.map(({values:e,width:t})=>[...e.subarray(o*t,(o+1)*t)]),l=e.map((e,t)=>c.reduce((e,n)=>e+(n[t]??0),0)/c.length),u=l.indexOf(Math.max(...l)),[d,f]=[t[o],e[u]];if(!d||!f)return null;let p=[{title:a(`reduce.mean`),weights:l},...c.map((e,t)=>({title:a(`head.n`,{head:t}),weights:e,color:`var(--rg-head-${t%8})`}))];return q(S,{children:[q(`div`,{class:`rg-writing`,children:[q(`span`,{class:`rg-note`,children:a(`cross.encoder`)}),q(`p`,{children:e.map(r).join(` · `)}),q(`span`,{class:`rg-note`,children:a(`cross.decoder`)}),q(Ac,{name:a(`cross.choose`),words:t.map(r),chosen:o,look:e=>e>o?`rg-words__word--later`:``,onChoose:e=>i({step:e})})]}),q(`p`,{"aria-live":`polite`,children:a(`cross.said`,{word:`“${r(d)}”`,looked:`“${r(f)}”`,share:K(l[u]??0)})}),q(Uc,{words:e.map(r),versions:p,spotlight:u,from:r(d)})]})}})}var ah=`var(--rg-faint)`;function oh({state:e,settings:t,text:n,onSet:r}){let i=W(),{temperature:a,top_k:o,top_p:s,step:c}=t,l={text:n,step:c,temperature:a,top_k:o,top_p:s};return q(Uh,{loaded:Z(JSON.stringify(l),t=>e.source.next(l,t)),children:({output:e,step:t,candidates:n,vocabulary:a,possible:o,rest:s})=>{let c=n.map(({token:e})=>Hm(e,i)),l=n.findIndex(({token:n})=>n===e[t]),u=Math.max(0,1-n.reduce((e,{probability:t})=>e+t,0)),d=e=>t=>`${c[t]}: ${i(e)}`,f=[Rc(i(`score`),d(`score`),n.map(({logit:e})=>e)),{...zc(i(`next.probability`),d(`next.probability`),n.map(({probability:e})=>e),ah),foot:q(Vc,{value:u,color:ah})},{...zc(i(`next.chance`),d(`next.chance`),n.map(({chance:e})=>e)),foot:q(Vc,{value:s})}];return q(S,{children:[q(`div`,{class:`rg-writing`,children:[q(`span`,{class:`rg-note`,children:i(`next.step`)}),q(Ac,{name:i(`cross.choose`),words:e.map(e=>Hm(e,i)),chosen:t,look:e=>e>t?`rg-words__word--later`:``,onChoose:e=>r({step:e})})]}),q(Hc,{label:i(`next.table`),corner:i(`next.candidate`),words:c.map((e,t)=>t===l?q(`span`,{title:i(`next.chosen`),children:[e,q(`span`,{class:`rg-unseen`,children:[`, `,i(`next.chosen`)]})]}):e),columns:f,spotlight:l,row:e=>(n[e]?.chance??0)>0?``:`rg-next__cut`,foot:i(`next.rest`)}),q(`p`,{class:`rg-note`,children:i(`next.said`,{possible:o.toLocaleString(`en`),vocabulary:a.toLocaleString(`en`)})})]})}})}var{word:sh,losses:ch,every:lh,moments:uh,parameters:dh,batch:fh}={word:`garden`,parameters:151296,batch:64,every:10,losses:[4.6602,4.2812,3.8264,3.443,3.2842,3.092,3.1419,2.9883,2.757,2.3792,2.156,1.7593,1.5419,1.7182,1.357,1.241,1.1272,.9792,.9521,.9862,1.0311,.7517,.7053,.9501,.597,.9478,.7491,.7118,.6077,.6713,.4668,.4902,.3405,.4934,.2597,.3193,.2913,.3141,.2577,.1453,.1465,.2062,.1874,.2042,.2605,.1737,.2292,.2091,.2822,.1508,.1202,.1459,.3404,.0898,.3465,.105,.0621,.0983,.075,.1161,.2235,.0829,.0404,.0845,.0263,.046,.0566,.0571,.0701,.0746,.0341,.0337,.0668,.0396,.0144,.0316,.0169,.0188,.019,.0183,.0151,.0159,.0078,.0044,.0095,.0077,.0084,.0093,.0042,.0101,.0035,.0078,.0062,.005,.0036,.0029,.0049,.0041,.0037,.003,.0031,.003,.0046,.0029,.0022,.0021,.0033,.0024,.002,.0027,.0025,.002,.0024,.0022,.0023,.0024,.002,.0022,.0019,.002],moments:[{step:0,written:``,weights:[[.119,.115,.14,.265,.045,.094],[.161,.055,.178,.11,.043,.236],[.126,.046,.12,.122,.092,.26],[.075,.063,.195,.079,.076,.278],[.185,.06,.174,.2,.164,.132],[.068,.175,.361,.079,.071,.131]]},{step:30,written:``,weights:[[.101,.135,.185,.152,.034,.122],[.155,.054,.18,.089,.038,.189],[.103,.066,.15,.096,.078,.235],[.072,.071,.215,.081,.081,.235],[.175,.086,.161,.148,.131,.125],[.058,.191,.273,.065,.054,.141]]},{step:60,written:``,weights:[[.116,.211,.175,.101,.036,.131],[.145,.122,.152,.082,.039,.134],[.108,.201,.155,.084,.059,.162],[.095,.176,.194,.093,.084,.151],[.15,.197,.127,.1,.077,.106],[.068,.184,.155,.058,.049,.129]]},{step:100,written:`rara`,weights:[[.074,.083,.067,.099,.164,.507],[.107,.121,.129,.052,.202,.378],[.107,.5,.043,.017,.045,.253],[.052,.479,.208,.052,.068,.116],[.321,.637,.003,.023,.002,.001],[.192,.226,.045,.034,.015,.01]]},{step:150,written:`nddagr`,weights:[[0,0,0,.02,.029,.949],[.018,.09,.089,.374,.308,.118],[.01,.462,.065,.131,.006,.294],[.037,.603,.248,.032,.016,.03],[.414,.496,.005,.057,.01,.003],[.369,.043,.144,.044,.037,.014]]},{step:200,written:`nnearg`,weights:[[0,0,0,.002,.037,.961],[.002,.004,.043,.076,.52,.355],[.006,.369,.159,.131,.009,.321],[.029,.431,.354,.021,.076,.078],[.304,.512,.009,.037,.063,.063],[.378,.022,.102,.025,.088,.024]]},{step:300,written:`nedrag`,weights:[[0,0,0,.001,.059,.94],[.001,.004,.013,.126,.819,.037],[.023,.18,.283,.372,.039,.087],[.07,.323,.363,.037,.136,.062],[.365,.447,.022,.066,.056,.037],[.487,.024,.162,.025,.049,.01]]},{step:450,written:`nedrag`,weights:[[0,0,0,0,0,1],[0,0,.001,.027,.738,.234],[.001,.022,.233,.503,.072,.169],[.01,.077,.782,.07,.055,.005],[.245,.505,.071,.157,.016,.001],[.572,.027,.118,.006,.001,0]]},{step:600,written:`nedrag`,weights:[[0,0,0,0,.008,.992],[0,0,0,.007,.738,.255],[0,0,.273,.65,.048,.03],[.001,.015,.849,.112,.023,.001],[.26,.662,.046,.031,.001,0],[.752,.197,.012,0,0,0]]},{step:900,written:`nedrag`,weights:[[0,0,0,0,.011,.989],[0,0,0,.004,.831,.165],[0,0,.04,.786,.146,.028],[0,.029,.895,.071,.005,0],[.045,.784,.141,.029,0,0],[.917,.037,.011,0,0,0]]},{step:1200,written:`nedrag`,weights:[[0,0,0,0,.042,.958],[0,0,0,.009,.888,.103],[0,0,.052,.875,.059,.014],[0,.043,.868,.087,.002,0],[.039,.85,.086,.025,0,0],[.934,.027,.004,0,0,0]]}]},ph=ch.length*lh;function mh({settings:e,onSet:t}){let n=W(),r=Math.min(e.moment,uh.length-1),i=uh[r],a=[...sh].reverse(),o=i.written===a.join(``);return q(`div`,{class:`rg-stack`,children:[q(`div`,{class:`rg-row rg-training__slider`,children:[q(Bm,{name:n(`training.step`),values:uh.map(({step:e})=>e),place:r,onChoose:e=>t({moment:e})}),q(`span`,{class:`rg-number`,children:[n(`training.loss`),` `,bh(ch,lh,i.step).toFixed(2)]})]}),q(`p`,{"aria-live":`polite`,children:[n(`training.writes`,{word:sh}),` `,q(`strong`,{class:`rg-number`,children:i.written||n(`training.nothing`)}),` `,q(`span`,{class:o?`rg-training__right`:`rg-note`,children:[o?`✓ `:``,n(o?`training.right`:`training.wrong`)]})]}),q(`div`,{class:`rg-abreast`,children:[q(hh,{step:i.step,onChoose:e=>t({moment:e})}),q(`figure`,{class:`rg-arrows`,children:[q(`figcaption`,{class:`rg-row rg-arrows__title`,children:n(`training.map`)}),q($m,{name:n(`weight`),kind:`weight`,rows:a,columns:[...sh],across:``,values:i.weights})]})]}),q(`p`,{class:`rg-note`,children:n(`training.note`,{parameters:dh.toLocaleString(`en`),batch:fh,every:lh})})]})}function hh({step:e,onChoose:t}){let n=W(),r=I(null),{width:i,height:a}=If(r),{path:o,x:s,y:c,ticks:l}=xh(ch,lh,i,a),u=n(`training.curve`,{first:(ch[0]??0).toFixed(2),last:(ch.at(-1)??0).toFixed(2)});return q(`figure`,{class:`rg-arrows`,children:[q(`figcaption`,{class:`rg-row rg-arrows__title`,children:n(`training.loss`)}),q(`div`,{ref:r,class:`rg-arrows__frame rg-training__curve`,children:i>0&&q(`svg`,{width:i,height:a,role:`img`,"aria-label":u,children:[l.map(e=>q(`g`,{children:[q(`path`,{fill:`none`,stroke:`var(--rg-rule)`,d:`M${s(0)} ${c(e)}H${s(ph)}`}),q(`text`,{fill:`var(--rg-muted)`,"font-size":12,x:s(0)-6,y:c(e)+4,"text-anchor":`end`,children:e})]},e)),q(`path`,{fill:`none`,stroke:`var(--rg-accent)`,"stroke-width":2,d:o}),uh.map((n,r)=>q(`circle`,{class:`rg-training__moment`,fill:n.step===e?`var(--rg-accent)`:`var(--rg-bg)`,stroke:`var(--rg-accent)`,"stroke-width":2,cx:s(n.step),cy:c(bh(ch,lh,n.step)),r:n.step===e?6:4,onClick:()=>t(r)},n.step)),[0,ph/2,ph].map(e=>q(`text`,{fill:`var(--rg-muted)`,"font-size":12,x:s(e),y:a-6,"text-anchor":e===ph?`end`:`middle`,children:e},e))]})}),q(`p`,{class:`rg-note`,children:n(`training.steps`)})]})}var[gh,_h,vh,yh]=[34,14,12,26];function bh(e,t,n){return e[Math.max(0,Math.min(e.length-1,Math.ceil(n/t)-1))]??0}function xh(e,t,n,r){let i=e.length*t,a=Math.ceil(Math.max(...e)),o=e=>gh+(n-gh-_h)*e/i,s=e=>r-yh-(r-vh-yh)*e/a;return{x:o,y:s,path:`M${e.map((e,n)=>`${o((n+1)*t).toFixed(1)} ${s(e).toFixed(1)}`).join(`L`)}`,ticks:Array.from({length:a+1},(e,t)=>t)}}function Sh({state:e,trace:t,next:n=null,always:r=!1}){let i=W(),a=Cs(e),o=e.request.value?.forced_beginning?.length??0,s=yl(e).some(e=>oo(e)?.query===o)?0:o,[c,l]=[go(i,vl(e),t),_o(i,yl(e),t)],u=c.length+l.length,{value:d,error:f}=Z((u||s)&&a?JSON.stringify(a):null,t=>Ss(e,a,t));if(!u&&!s&&!n&&!r)return null;let p=u||s?d:n&&t,m=n??t,h=p?Eh(wh(p),wh(m)):null,g=h!==null&&wh(p)===wh(m),_=({names:t,label:n,title:r},i)=>q(`li`,{children:q(`button`,{type:`button`,class:`rg-chip rg-changed__chip`,title:`${r}; ${i}`,"aria-label":`${i} ${n}`,disabled:!a||e.busy.value,onClick:()=>void El(e,t),children:[n,` `,q(`span`,{"aria-hidden":`true`,children:`×`})]})},t.join());return q(`section`,{class:`rg-row rg-changed${r?` rg-changed--always`:``}`,"aria-label":i(`changed`),"aria-busy":e.busy.value,children:[f&&q(`p`,{class:`rg-note rg-note--error`,role:`alert`,children:f}),h&&!g&&q(Th,{name:i(`changed.before`),parts:h.before,mark:`del`}),q(Th,{name:i(`changed.now`),live:!0,parts:h?.after??[{text:wh(m),changed:!1}],mark:`ins`,note:g?i(`changed.same`):``}),[{name:i(`off`),about:i(`changed.off.list`),list:c,back:i(`changed.back`)},{name:i(`changed.pulled`),about:i(`changed.pulled`),list:l,back:i(`changed.go`)}].map(({name:e,about:t,list:n,back:r})=>n.length>0&&q(`div`,{children:[q(`span`,{class:`rg-note rg-changed__name`,children:e}),q(`ul`,{class:`rg-row`,"aria-label":t,children:n.map(e=>_(e,r))})]},e)),a&&u>1&&q(Ch,{state:e,name:i(`changed.all`)}),a&&s>0&&u<2&&q(Ch,{state:e,name:i(`changed.own`)})]})}function Ch({state:e,name:t}){return q(`button`,{type:`button`,class:`rg-button`,disabled:e.busy.value,onClick:()=>void ws(e),children:t})}function wh({generation:e,labels:t}){let[n]=t??[];return n?`${n.token} ${K(n.probability)}`:e?.hypotheses[e.shown]?.text??``}function Th({name:e,live:t,parts:n,mark:r,note:i=``}){return q(`p`,{class:`rg-changed__line`,"aria-live":t?`polite`:void 0,children:[q(`span`,{class:`rg-note rg-changed__name`,children:e}),q(`span`,{children:[n.map(({text:e,changed:t},n)=>{let i=e.trimStart();return q(`span`,{children:[e.slice(0,e.length-i.length),t?q(r,{children:i}):i]},n)}),i&&q(`span`,{class:`rg-note`,children:[` `,i]})]})]})}function Eh(e,t){let[n,r]=[Dh(e),Dh(t)],i=Ah(n,r),[a,o]=[new Set,new Set];for(let e=0,t=0;e<n.length&&t<r.length;)Oh(n[e],r[t])?(a.add(e++),o.add(t++)):kh(i,e+1,t)>=kh(i,e,t+1)?e++:t++;return{before:jh(n,a),after:jh(r,o)}}var Dh=e=>e.trim().match(/\s*(?:[\p{L}\p{M}\p{N}]+|\S)/gu)??[],Oh=(e=``,t=``)=>e.trim()===t.trim(),kh=(e,t,n)=>e[t]?.[n]??0;function Ah(e,t){let n=Array.from({length:e.length+1},()=>Array(t.length+1).fill(0));for(let r=e.length-1;r>=0;r--)for(let i=t.length-1;i>=0;i--)n[r][i]=Oh(e[r],t[i])?kh(n,r+1,i+1)+1:Math.max(kh(n,r+1,i),kh(n,r,i+1));return n}function jh(e,t){let n=[];return e.forEach((e,r)=>{let i=!t.has(r),a=n.at(-1);a&&a.changed===i?a.text+=e:n.push({text:e,changed:i})}),n}var Mh=[],Nh=[`anywhere`,`across`,`within`];function Ph({state:e,plain:t=!1}){let n=W(),r=e.aligned,i=e.pieces,{held:a,take:o,letGo:s}=L(()=>Tu(e),[e]),c=I(null),{width:l}=If(c),u=e.trace.value,d=e.tap.value,{aligned:f,loading:p,error:m}=Wu(e,r.value,i.value),{hover:h,columns:g,locked:_,release:v}=Gf(e,L(()=>f?.output.map(e=>e.rows)??[],[f]),f?.source??Mh,[f?.trace.id,f?.output.length,f?.source.length]),y=!e.busy.value&&u?.can_ablate&&e.source.abilities.ablate&&u.generation&&u.axes.source&&!u.axes.source.peaks?u.id:null,b=H(`anywhere`),x=Z(y&&`${y} ${b.value}`,async t=>{await cc();let n=u?.taps.filter(({kind:e})=>e===`cross`)??[],[r,...i]=await Promise.all([e.source.reliance(y,b.value,t),...n.map(n=>Va(e.source,y,n,`mean`,`weight`,{first:0,end:n.rows},t))]);return{id:y,words:r,maps:i}}).value,C=f?.trace.generation,{sure:w,relied:T,needs:E}=L(()=>{let e=(C&&f?.trace.axes[C.axis]?.prompt)??1,t=C&&f?yu(f.output,e,C.steps):[];if(!f||x?.id!==f.trace.id)return{sure:t,relied:null,needs:[]};let n=f.source.map(e=>x.words.find(t=>t.first===e.first&&t.end===e.end)??null);return{sure:t,relied:n,needs:f.step===`output`?Au(f,t,n,x.maps):[]}},[f,x]);F(()=>(e.needs.value=E,()=>{e.needs.value=[]}),[E]);let D=h.value??_[_.length-1]??null;if(Kf(e,f&&D&&f.step===`output`?Fh(f,D):null),!u||!d)return null;let O=({side:t,index:n})=>{let i=t===`key`?f?.source[n]:f?.output[n]?.rows;if(i&&i.end!==i.first){if(t===`key`)return void(g.value=Yf(g.value,i));e.locked.value=Yf(e.locked.value,i),r.value===`output`&&(e.step.value=js(e,d,i.first))}},ee=(t,n)=>{let[r,i]=[f?.output[t],f?.source[n]],a=f&&r&&i&&Xf(f.tokens,r.rows,i);a&&f&&(e.tapName.value=f.tap.name,e.focus.value=a,e.drawer.value=`cell`)},k=t=>{let n=t===r.value?0:t===`input`?1:-1;e.locked.value=e.locked.value.map(e=>e+n).filter(e=>e>=0),r.value=t},A=vl(e),te=new Set(f?.source.flatMap((e,t)=>Zn(e).some(e=>A.includes(String(e)))?[t]:[])),ne=bl(e),j=t=>{let n=f?.source[t];if(!f||!n||e.busy.value)return;let r=f.tap.keys;te.has(t)?El(e,wl(e,r,n)):Tl(e,r,n)},re=w.some((e,t)=>!f?.output[t]?.special&&e<(C?.unsure_below??0)),M=h.value?.side===`key`&&te.has(h.value.index),ie=h.value&&!M?[..._,h.value]:_,ae=nr(u.axes[d.queries],`word`)&&nr(u.axes[d.keys],`word`);return q(`section`,{class:`rg-views rg-translation`,"aria-label":n(`translation`),"aria-busy":p,children:[!t&&q(`header`,{class:`rg-row rg-views__head`,children:[q(`p`,{class:`rg-note`,children:[pn(n,f?.quantity??`weight`,f?.tap??d,[f?.head??e.head.value]),`; `,n(`ribbons.${f?.step??r.value}`)]}),ne&&f&&q(`button`,{type:`button`,class:`rg-button`,onClick:()=>void wd(e),children:n(`ribbons.play`)}),q(rc,{name:n(`step`),options:[`output`,`input`].map(e=>[e,n(`ribbons.${e}.name`),n(`ribbons.${e}`)]),value:r.value,onChoose:k}),(E.length>0||b.value!==`anywhere`)&&q(rc,{name:n(`ribbons.way`),options:Nh.map(e=>[e,n(`ribbons.${e}`),n(`ribbons.way.title`)]),value:b.value,onChoose:e=>b.value=e}),ae&&q(rc,{name:n(`group`),options:[`word`,`token`].map(e=>[e,n(`group.${e}`)]),value:i.value,onChoose:e=>i.value=e})]}),m&&q(`p`,{class:`rg-note rg-note--error`,role:`alert`,children:m}),q(`div`,{class:`rg-translation__frame`,ref:c,children:f&&l>0&&q(S,{children:[q(sd,{aligned:f,width:l,active:ie,locked:_,struck:te,chances:w,unsureBelow:C?.unsure_below??0,relied:T,needs:E,pulled:wu(e,f),pull:a.value,onStrike:ne?j:null,onPull:ne&&f.step===`output`?(e,t)=>o(f,e,t):null,onLetGo:e=>void s(e),onHover:e=>h.value=e,onLock:O,onRelease:v,onAsk:ee}),q(Sh,{state:e,trace:u,next:a.value?.trace,always:ne}),q(`p`,{class:`rg-note rg-views__hint`,"data-screen":!0,children:Ih(n,ne,re,E.length>0,Ku(f),f.quantity)})]})})]})}function Fh({output:e,source:t,values:n},{side:r,index:i}){let a=(e,t)=>n.values[e*n.width+t]??0,o=(e,t)=>Array.from({length:e},(e,t)=>t).reduce((e,n)=>t(n)>t(e)?n:e,0),s=r===`query`?i:o(e.length,e=>a(e,i)),c=r===`key`?i:o(t.length,e=>a(i,e)),[l,u]=[e[s]?.rows,t[c]];return l&&u&&l.end>l.first&&a(s,c)>0?{query:l.first,key:u.first}:null}function Ih(e,t,n,r,i,a){let o=t?[e(`ribbons.strike`),e(`ribbons.pull`),e(`ribbons.bar`)]:[],s=i>5e-4?[e(`ribbons.left`,{least:K(Fu),left:K(i),quantity:e(a)})]:[];return[...r?[e(`ribbons.needed`,{little:K(Ou),much:100*ku})]:[],e(`ribbons.sure`),...n?[e(`ribbons.dotted`)]:[],...o,...s].join(` · `)}function Lh({state:e,model:t,settings:{struck:n},text:r,onSet:i}){let a=W(),o=L(()=>zh(e),[e]),s=e.dark.value;F(()=>{o.theme.value=s?`dark`:`light`},[s]);let c=JSON.stringify([t,r,n]);F(()=>{let{request:e}=o;(e.value&&JSON.stringify([e.value.model,e.value.text,Rh(e.value)]))!==c&&xs(o,{model:t,text:r,...n.length&&{without:n.map(String)}})},[c]);let{value:l}=o.request;F(()=>{let e=l?Rh(l):[];o.trace.value&&l?.text===r&&String(e)!==String(n)&&i({struck:e})},[l]);let u=o.drawer.value,d=()=>void om(e,o.request.value??{model:t,text:r},u?o.focus.value:null);F(()=>{u&&d()},[u]);let f=o.error.value;return q(`div`,{class:`rg-stack rg-yours`,"aria-busy":o.busy.value,children:[f&&q(`p`,{class:`rg-note`,role:`alert`,children:sc(a,f)}),!o.trace.value&&!f&&q(`p`,{class:`rg-note`,role:`status`,children:a(`model.running`,{model:t})}),o.trace.value&&q(S,{children:[q(`p`,{class:`rg-panel__title rg-yours__text`,"aria-live":`polite`,children:Bh(o)}),q(Ph,{state:o,plain:!0}),q(`div`,{children:q(`button`,{type:`button`,class:`rg-button`,onClick:d,children:a(`inspector`)})})]})]})}function Rh({without:e}){return(e??[]).map(Number)}function zh({source:e}){let t=hs(e);return t.view.value=`sentence`,t.head.value=`mean`,t}function Bh(e){let t=e.trace.value?.generation;return t?.hypotheses[t.shown]?.text??``}var Vh=`en-de`;function Hh(e){let t=W(),{name:n}=e.lesson;if(n===`training`)return q(mh,{...e});if(!e.words.length)return q(`p`,{class:`rg-note`,children:t(`model.empty`)});if(n===`block`)return q(nh,{...e});if(n===`layers`)return q(rh,{...e});if(n===`next`)return q(oh,{...e});let r=e.state.models.value.filter(({task:e})=>e===`translation`).map(({name:e})=>e),i=r.includes(Vh)?Vh:r[0];return i?q(n===`cross`?ih:Lh,{...e,model:i}):q(`p`,{class:`rg-note`,children:t(`model.none`)})}function Uh({loaded:{value:e,loading:t,error:n},children:r}){let i=W();return n?q(`p`,{class:`rg-note`,role:`alert`,children:n}):e?q(`div`,{class:`rg-stack`,"aria-busy":t,children:r(e)}):q(`p`,{class:`rg-note`,role:`status`,children:i(`model.running`,{model:`en-de`})})}var Wh=[56,28];function Gh(e,t,n){let r=[0,...e.map(([e])=>e)],i=[0,...e.map(([,e])=>e)],[a,o,s,c]=[Math.min(...r),Math.max(...r),Math.min(...i),Math.max(...i)],l=(e,t)=>Math.max(1,e-2*t),u=Math.min(l(t,Wh[0])/(o-a||1),l(n,Wh[1])/(c-s||1)),[d,f]=[t/2-u*(a+o)/2,n/2+u*(s+c)/2];return{unit:u,place:([e,t])=>[d+u*e,f-u*t]}}function Kh([e,t],[n,r],[i,a]){let[o,s]=[a[0]-i[0],a[1]-i[1]],c=((e+n)/2-i[0])*s-((t+r)/2-i[1])*o,l=[s,-o];return c>=0?l:[-l[0],-l[1]]}var qh=7,Jh=14,Yh=[0,1,-1,2,-2,3,-3,4,-4,5,-5,6].map(e=>e*Math.PI/6),Xh=[12,24,38,54,72],Zh=30;function Qh(e,t,n){let r=e.map((e,t)=>t).sort((t,n)=>Number(e[n].first)-Number(e[t].first)),i=[],a=[];for(let o of r){let{text:r,at:s,away:c}=e[o],l=qh*[...r].length+6,u=Math.atan2(c[1],c[0]),d=Xh.flatMap(e=>Yh.map(r=>{let[i,a]=[Math.cos(u+r),Math.sin(u+r)],o=Math.min(Math.max(s[0]+i*(e+l/2*Math.abs(i)),l/2),t-l/2),c=Math.min(Math.max(s[1]+a*e,Jh/2),n-Jh/2);return[o-l/2,c-Jh/2,o+l/2,c+Jh/2]})),f=d.find(e=>!i.some(t=>$h(e,t)))??d.reduce((e,t)=>eg(t,i)<eg(e,i)?t:e);i.push(f);let[p,m]=[(f[0]+f[2])/2,(f[1]+f[3])/2],h=Math.hypot(p-s[0],m-s[1])-l/2>Zh?s:null;a.push({index:o,x:p,y:f[3]-3,leader:h})}return a.sort((e,t)=>e.index-t.index)}function $h(e,t){return e[0]<t[2]&&t[0]<e[2]&&e[1]<t[3]&&t[1]<e[3]}function eg(e,t){let n=(e,t,n,r)=>Math.max(0,Math.min(t,r)-Math.max(e,n));return t.reduce((t,r)=>t+n(e[0],e[2],r[0],r[2])*n(e[1],e[3],r[1],r[3]),0)}function tg([e,t],[n,r],i,a){let[o,s]=[n-e,r-t],c=(e,t,n)=>t>0?(n-e)/t:t<0?-e/t:1,l=Math.max(0,Math.min(1,c(e,o,i),c(t,s,a)));return[e+l*o,t+l*s]}function ng([e,t],[n,r],i=8){let a=Math.hypot(n-e,r-t);if(a<.5)return``;let o=Math.min(i,a/2),[s,c]=[(n-e)/a*o,(r-t)/a*o],l=e=>Math.round(e*10)/10,u=e=>`${l(n-s+e*c*.5)} ${l(r-c-e*s*.5)}`,d=`${l(n)} ${l(r)}`;return`M${l(e)} ${l(t)}L${d}M${u(1)}L${d}L${u(-1)}`}var rg=[0,0],ig=11,ag=7,og={color:`var(--rg-accent)`,width:3,name:{fill:`var(--rg-accent)`,fontWeight:650}},sg={plain:{color:`var(--rg-faint)`,width:1.5,name:{}},faint:{color:`var(--rg-rule)`,width:1.5,name:{}},step:{color:`var(--rg-head-1)`,width:2,name:{fill:`var(--rg-head-1)`}},lit:og,query:og,output:og};function cg({title:e,kept:t,arrows:n,onPoint:r,onChoose:i}){let a=W(),o=I(null),{width:s,height:c}=If(o),{place:l}=Gh(n.filter(({look:e})=>e!==`faint`).flatMap(({to:e,from:t=rg})=>[e,t]),s,c),u=n.map(e=>({...e,tail:l(e.from??rg),head:l(e.to)})),d=u.find(({look:e})=>e===`output`),f=({tail:e,head:t})=>Math.hypot(t[0]-e[0],t[1]-e[1])>=ag,p=u.filter(e=>e.name&&(e.look!==`step`||f(e))),m=p.map(({name:e,tail:t,head:n,look:r})=>{let i=[n[0]-t[0],n[1]-t[1]];return{text:e,at:r===`step`?[(n[0]+t[0])/2,(n[1]+t[1])/2]:tg(t,n,s,c),away:r===`step`&&d?Kh(t,n,[d.tail,d.head]):i,first:sg[r]===og}}),[h,g]=l(rg),_=({says:e,word:t})=>({"data-says":e,onPointerEnter:()=>t!==void 0&&r(t),onClick:()=>t!==void 0&&i(t)});return q(`figure`,{class:`rg-arrows`,children:[q(`figcaption`,{class:`rg-row rg-arrows__title`,children:[e,q(`span`,{class:`rg-note`,title:a(`arrows.kept.title`),children:t>.9995?a(`arrows.exact`):a(`arrows.kept`,{share:K(t)})})]}),q(`div`,{ref:o,class:`rg-arrows__frame`,children:s>0&&q(`svg`,{width:s,height:c,role:`img`,"aria-label":ug(e,n),onPointerLeave:()=>r(null),children:[q(`path`,{fill:`none`,stroke:`var(--rg-rule)`,d:`M0 ${g}H${s}M${h} 0V${c}`}),u.map(({tail:e,head:t,look:n,...r},i)=>q(`g`,{class:`rg-arrows__arrow rg-arrows__arrow--${n}`,..._(r),children:[q(`path`,{class:`rg-arrows__reach`,fill:`none`,stroke:`transparent`,"stroke-width":ig,d:`M${e[0]} ${e[1]}L${t[0]} ${t[1]}`}),q(`path`,{class:`rg-arrows__shaft`,d:ng(e,t),stroke:sg[n].color,"stroke-width":sg[n].width})]},i)),Qh(m,s,c).map(({index:e,x:t,y:n,leader:r})=>{let{look:i,name:a,...o}=p[e];return[r&&q(`path`,{fill:`none`,stroke:`var(--rg-faint)`,"stroke-dasharray":`2 3`,d:`M${r[0]} ${r[1]}L${t} ${n-4}`},`${e} leader`),q(`text`,{class:`rg-arrows__name`,style:sg[i].name,x:t,y:n,..._(o),children:a},e)]})]})})]})}function lg(e,[t,n]){return`${e}: (${Fc(t)}, ${Fc(n)}) in this plane`}function ug(e,t){return`${e}: ${t.map(({says:e})=>e).join(`; `)}`}var dg=14;function fg({words:e,row:{looks:t,output:n},formula:r,named:i,spotlight:a,onPoint:o,onChoose:s}){let c=W(),l=I(null),{width:u}=If(l),d=e[a]??``,f=t.map(e=>e.given),p=t.map(({weight:e})=>e),m=Math.max(Km([n]),Km(f)),h=e=>(e+.5)*28,g=e=>n=>`${d} → ${t[n]?.word}: ${c(e)}`,_=c(i?`given.value`:`given`),v=[Rc(r===`0`?c(`score`):r,g(`score`),t.map(({score:e})=>e)),{...zc(c(`weight`),g(`weight`),p),foot:K(p.reduce((e,t)=>e+t,0))},{...Bc(_,e=>`${_}: ${t[e]?.word}`,f,m),foot:q(Wc,{name:c(`arrows.output`,{word:d}),values:n,most:m})}];return q(Hc,{look:`rg-attention`,label:c(`gets`,{word:d}),corner:c(i?`key`:`looksAt`),words:t.map(({word:e})=>e),columns:v,spotlight:a,before:n=>{if(n===`head`)return[q(`th`,{scope:`col`,class:`rg-attention__query`,children:c(i?`query`:`word`)},`query`),q(`td`,{},`lines`)];if(n===`foot`)return q(`td`,{class:`rg-attention__query`});let r=q(`td`,{class:`rg-table__word rg-attention__query`,onPointerEnter:()=>o(n),onClick:()=>s(n),children:e[n]},`query`);return n>0?r:[r,q(`td`,{ref:l,class:`rg-attention__lines`,rowSpan:t.length,"aria-hidden":`true`,children:q(`svg`,{width:u,height:t.length*28,children:t.filter(({weight:e})=>e>0).map(({weight:e,key:t})=>q(`path`,{fill:`none`,stroke:`var(--rg-accent)`,d:bc(h(a),h(t),u),"stroke-width":.75+dg*e,"stroke-opacity":.25+.7*e,...Lc(g(`weight`)(t),e)},t))})},`lines`)]},footSpan:2,foot:q(S,{children:[c(`sum`),` `,q(`strong`,{children:d})]}),onPoint:o,onChoose:s})}function pg({words:e,scores:t,weights:n,formula:r,spotlight:i,...a}){let o=W(),s=e[i]??``,c=t.map(Math.exp),l=t=>n=>`${s} → ${e[n]}: ${o(t)}`,u=[Rc(`${o(`score`)} ${r}`,l(`score`),t),{...Rc(o(`softmax.exp`),l(`softmax.exp`),c,e=>hg(e??0)),foot:hg(mg(c))},{...zc(o(`softmax.share`),l(`weight`),n),foot:K(mg(n))}];return q(`div`,{class:`rg-stack`,children:[q(Hc,{label:o(`softmax`,{word:s}),corner:o(`from`,{word:s}),words:e,columns:u,spotlight:i,foot:o(`softmax.sum`),...a}),q(`p`,{class:`rg-note`,children:o(`softmax.note`)})]})}var mg=e=>e.reduce((e,t)=>e+t,0);function hg(e){if(!Number.isFinite(e))return`∞`;if(e!==0&&(e>=1e5||e<.001)){let[t=``,n=``]=e.toExponential(1).split(`e`);return`${t} × 10${[...n.replace(`+`,``)].map(e=>gg[e]??e).join(``)}`}return e>=100?e.toFixed(0):e.toPrecision(3)}var gg=Object.fromEntries([...`-0123456789`].map((e,t)=>[e,[...`⁻⁰¹²³⁴⁵⁶⁷⁸⁹`][t]??``]));function _g(e){let{name:t}=e.lesson;return q(t===`words`?bg:t===`qkv`?Sg:t===`heads`?Cg:t===`order`?Tg:t===`masks`?wg:vg,{...e})}function vg({lesson:e,answers:t,spotlight:n,onPoint:r,onChoose:i}){let[{explanation:a}]=t,o=a.tokens,s=Gm(a,n),c=Ko(e),l=xg(a.settings,c),u={words:o,spotlight:n,onPoint:r,onChoose:i};if(e.name===`softmax`)return q(pg,{...u,formula:l,scores:s.looks.map(({score:e})=>e??-1/0),weights:s.looks.map(({weight:e})=>e)});if(e.name!==`scale`)return q(fg,{...u,formula:l,named:c,row:s});let d=t.map(({explanation:e})=>{let{looks:t}=Gm(e,n);return{title:`softmax(${xg(e.settings,c)})`,scores:t.map(({score:e})=>e),weights:t.map(({weight:e})=>e)}});return q(Uc,{...u,versions:d})}function yg(e=[],t,n,r){return e.map((e,i)=>({name:t[i]??``,says:lg(n(t[i]??``),e),to:e,look:r(i),word:i}))}function bg({answers:e,spotlight:t,onPoint:n,onChoose:r}){let i=W(),[{explanation:a,geometry:o}]=e,s=o?.planes[0],c=yg(s?.arrows.embedding,a.tokens,e=>e,e=>e===t?`lit`:`plain`),l={onPoint:n,onChoose:r};return q(`div`,{class:`rg-abreast`,children:[q($m,{name:i(`vector`),kind:`signed`,rows:a.tokens,columns:null,across:i(`numbers`),values:Wm(a,`vectors`)??[],spotlight:t,...l}),s&&q(cg,{title:i(`vectors.arrows`),kept:s.kept,arrows:c,...l})]})}function xg({formula:e,temperature:t},n){let r=n?e:e.replaceAll(`q`,`a`).replaceAll(`k`,`b`);return t===1?r:`${/[−/]/.test(r)?`(${r})`:r} / ${t}`}function Sg({answers:e,spotlight:t,onPoint:n,onChoose:r}){let i=W(),[{explanation:a,geometry:o}]=e,[,s,c]=o?.planes??[];if(!o||!s||!c)return null;let l=o.token,u=a.key_tokens,d=yg(s.arrows.key,u,e=>i(`arrows.key`,{word:e}),()=>`plain`),f=s.arrows.query?.[o.spotlight]??[0,0];d.push({name:i(`query`),says:lg(i(`arrows.query`,{word:l}),f),to:f,look:`query`});let p=o.path.slice(1).map((e,t)=>{let n=o.path[t],r=u[t]??``,a=o.weights[t]??0;return{name:r,says:`${r}: ${i(`weight`)} ${a.toPrecision(4)} × ${i(`value`)}`,to:e,from:n,look:`step`,word:t}}),m=yg(c.arrows.value,u,e=>i(`arrows.value`,{word:e}),()=>`faint`),h=c.arrows.attended?.[0]??[0,0],g={name:i(`output`),says:lg(i(`arrows.output`,{word:l}),h),to:h,look:`output`},_={onPoint:n,onChoose:r};return q(`div`,{class:`rg-abreast`,children:[q(cg,{title:i(`arrows.keys`,{word:a.tokens[t]??l}),kept:s.kept,arrows:d,..._}),q(cg,{title:i(`arrows.values`),kept:c.kept,arrows:[...m,...p,g],..._})]})}function Cg({answers:e,spotlight:t,onPoint:n,onChoose:r}){let[{explanation:i}]=e,a=W(),{tokens:o,key_tokens:s,settings:c}=i,l=Array.from({length:c.heads},(e,t)=>Wm(i,`weights`,t)??[]),u=l.map((e,n)=>({title:a(`head.n`,{head:n}),weights:(e[t]??[]).map(e=>e??0),color:`var(--rg-head-${n%8})`}));return q(`div`,{class:`rg-abreast`,children:[q(`div`,{class:`rg-headmaps`,children:u.map(({title:e,color:i},c)=>q(`div`,{children:[q($m,{bare:!0,name:`${e}: ${a(`weight`)}`,kind:`weight`,rows:o,columns:s,across:a(`keys`),values:l[c],spotlight:t,onPoint:n,onChoose:r}),q(`span`,{class:`rg-headmaps__name`,style:{"--line":i},children:e})]},c))}),q(Uc,{words:s,versions:u,spotlight:t,onPoint:n,onChoose:r})]})}function wg({answers:e,spotlight:t,onPoint:n,onChoose:r}){let i=W(),a={spotlight:t,onPoint:n,onChoose:r},[{explanation:o}]=e,s=Wm(o,`masked`)??[],c=(Wm(o,`weights`)??[]).map((e,t)=>e.map((e,n)=>s[t]?.[n]===null?null:e));return q($m,{name:i(`weight`),kind:`weight`,rows:o.tokens,columns:o.key_tokens,across:i(`keys`),values:c,...a})}function Tg({answers:e,settings:t,spotlight:n,onPoint:r,onChoose:i}){let[a,o]=e,s=W(),{tokens:c}=a.explanation,l=Vo(t.swap,c.length),u=c.map((e,t)=>Gm(a.explanation,t).output),d=c.map((e,t)=>Gm(o.explanation,l[t]??t).output),f=u.map((e,t)=>qm(e,d[t])),p=Km([...u,...d]),m=Math.max(...f,1e-9),[h,g]=Bo(t.swap,c.length),_=e=>({word:c[e]??``}),v=[Bc(s(`order.here`),e=>s(`arrows.output`,_(e)),u,p),Bc(s(`order.swapped`,{first:c[h]??``,second:c[g]??``}),e=>`${s(`arrows.output`,_(e))} ⇄`,d,p),{...zc(s(`order.change`),e=>s(`order.moved`,_(e)),f),cell:e=>q(Vc,{value:f[e]<1e-9?0:f[e]/m,text:Eg(f[e])})}],y=c.map((e,t)=>q(S,{children:[e,(t===h||t===g)&&q(`span`,{"aria-hidden":`true`,children:` ⇄`})]}));return q(Hc,{label:s(`order`),words:y,columns:v,spotlight:n,onPoint:r,onChoose:i})}function Eg(e){return e<1e-9?`0`:e<.001?`< 0.001`:e.toFixed(3)}var Dg=300;function Og({state:e,learn:t}){let n=I(null),r=I(null),i=qi(n,e.dark.value),a=H(null),o=H(null),s=W(),c=Go(t.lesson),l=t.text??`the boy eats an apple and an orange by the river`,u=Ag(l,Dg),d=zo(u),f=e=>e!==null&&e<d.length?e:null,p=f(t.spotlight)??Uo(d),m=f(a.value)??p,h=Jo(c,t.chosen,u,m),[g,_]=De(0),{value:v,loading:y,error:b}=Z(c.own?null:JSON.stringify([c.name,h,g]),async n=>({lesson:c,settings:qo(c,t.chosen),text:u,spotlight:m,answers:await Promise.all(h.map(t=>e.source.explain(t,n)))})),x=I(!0);F(()=>{a.value=null,o.value=null,x.current||r.current?.focus(),x.current=!1},[c.name]);let S=v?.lesson===c?v:null,C=S?.answers.map(e=>Um(e,s))??[],[w]=C,T=v&&v.text!==u?v.spotlight:m,E=t=>rm(e,t),D=e=>e===null?null:w?.words[e]??null,O=e=>a.value=D(e),ee=e=>{let t=D(e);t!==null&&E(t)},k=Math.max(0,w?.words.indexOf(T)??0),A=Wo.indexOf(c)+1,te=e=>q(`button`,{type:`button`,class:`rg-button${e?` rg-button--bare`:``}`,onClick:()=>_(g+1),children:s(`again`)});return q(Gi.Provider,{value:i,children:[q(`div`,{class:`rg-rail`,children:[q(jm,{state:e}),q(Mg,{lesson:c.name,onTurn:t=>Qp(e,t)})]}),q(`main`,{ref:n,class:`rg-main rg-learn`,children:[q(jg,{text:l,words:d,spotlight:m,error:b,standIns:w?.stand_ins??{},onWrite:t=>tm(e,t),onPoint:e=>a.value=e,onChoose:E}),q(`article`,{class:`rg-learn__lesson`,"aria-labelledby":`rg-learn-title`,children:[q(`p`,{class:`rg-note`,children:s(`place`,{place:A,count:Wo.length})}),q(`h2`,{ref:r,id:`rg-learn-title`,class:`rg-learn__title`,tabIndex:-1,children:s(`lesson.${c.name}.title`)}),[1,2].map(e=>q(`p`,{class:`rg-learn__says`,children:s(`lesson.${c.name}.${e}`)},e)),q(Im,{lesson:c,chosen:t.chosen,words:d,onChoose:t=>nm(e,t)}),q(`div`,{class:`rg-learn__picture`,"data-lesson":c.name,"data-stale":b!==null&&w!==void 0,"aria-busy":y,onPointerMove:e=>o.value=e.target.closest(`[data-says]`)?.getAttribute(`data-says`)??null,onPointerLeave:()=>o.value=null,children:[b&&!w&&q(`p`,{class:`rg-note`,children:[s(`picture.none`),` `,b,` `,te(!1)]}),b&&v&&w&&q(`p`,{class:`rg-note rg-learn__stale`,children:[s(`picture.stale`,{text:v.text}),` `,te(!0)]}),c.own&&q(Hh,{state:e,lesson:c,settings:qo(c,t.chosen),text:u,words:d,spotlight:m,onPoint:e=>a.value=e,onChoose:E,onSet:t=>nm(e,t)}),S&&w&&q(_g,{...S,answers:C,spotlight:Math.min(k,w.explanation.tokens.length-1),onPoint:O,onChoose:ee})]}),q(`p`,{class:`rg-learn__readout ${o.value?`rg-number`:`rg-note`}`,children:o.value??(S?kg(S,s):`\xA0`)})]}),q(`nav`,{class:`rg-learn__way`,"aria-label":s(`way`),children:[q(`button`,{type:`button`,class:`rg-button`,disabled:!$p(c.name,-1),title:`[`,onClick:()=>em(e,-1),children:[`← `,s(`previous`)]}),q(`button`,{type:`button`,class:`rg-button rg-button--bare`,title:s(`reset.title`),onClick:()=>im(e),children:s(`reset`)}),q(`button`,{type:`button`,class:`rg-button rg-button--main`,disabled:!$p(c.name,1),title:`]`,onClick:()=>em(e,1),children:[s(`next`),` →`]})]})]})]})}function kg({lesson:e,settings:t,answers:n},r){let i=n.at(-1),{source:a,formula:o,heads:s,head_dim:c,temperature:l}=i.explanation.settings,u=Ko(e)?o:o.replaceAll(`q`,`a`).replaceAll(`k`,`b`),d=[`${[...e.name===`words`?[]:[r(`read.score`,{formula:u})],...l===1?[]:[r(`read.temperature`,{temperature:l})],s>1?r(`read.heads`,{heads:s,dims:c}):r(`read.dimensions`,{dims:c}),r(`read.vectors`,{source:a})].join(` · `)}.`];return t.projections===`trained`?[...d,r(`read.trained`,{source:a,layer:t.layer})].join(` `):(s*c<i.dimensions&&d.push(r(`read.directions`,{whole:i.dimensions,dims:s*c})),t.projections===`random`&&d.push(r(`read.random`)),d.join(` `))}function Ag(e,t){let[n,r]=De(e);return F(()=>{let n=setTimeout(()=>r(e),t);return()=>clearTimeout(n)},[e]),n}function jg({text:e,words:t,spotlight:n,error:r,standIns:i,onWrite:a,onPoint:o,onChoose:s}){let c=je(),l=W(),u=Object.entries(i).filter(([e])=>t.includes(e)).sort(([e],[n])=>t.indexOf(e)-t.indexOf(n)),d=([e,t])=>t===null?l(`standin.none`,{word:e}):l(`standin`,{word:e,other:t});return q(`section`,{class:`rg-sentence`,"aria-label":l(`sentence`),children:[q(`label`,{class:`rg-note`,for:`${c}-text`,children:l(`sentence.yours`)}),q(`input`,{id:`${c}-text`,class:`rg-field rg-sentence__text`,type:`text`,spellcheck:!1,autocomplete:`off`,value:e,"aria-invalid":r!==null,"aria-describedby":`${c}-error`,onInput:e=>a(e.currentTarget.value),onKeyDown:e=>e.key===`Escape`&&e.currentTarget.blur()}),q(`p`,{id:`${c}-error`,class:`rg-note rg-note--error rg-sentence__error`,role:`status`,children:r}),q(Ac,{name:l(`sentence.spotlight`),words:t,chosen:n,look:e=>t[e]in i?`rg-words__word--unknown`:``,onChoose:s,onPoint:o}),u.map(e=>q(`p`,{class:`rg-note`,children:d(e)},e[0]))]})}function Mg({lesson:e,onTurn:t}){let n=W(),r=I(null);return F(()=>{r.current?.querySelector(`[aria-current]`)?.scrollIntoView({block:`nearest`,inline:`center`})},[e]),q(`nav`,{ref:r,class:`rg-road`,"aria-label":n(`lessons`),children:q(`ol`,{children:Wo.map(({name:r},i)=>q(`li`,{children:q(`button`,{type:`button`,class:`rg-road__lesson`,"aria-current":r===e?`step`:void 0,title:n(`lesson.${r}.title`),onClick:()=>t(r),children:[q(`span`,{class:`rg-road__number rg-number`,children:i+1}),q(`span`,{class:`rg-road__title`,children:n(`lesson.${r}.title`)})]})},r))})})}function Ng({state:e,trace:t}){let n=W(),r=I(null),i=I(null),{width:a}=If(i),o=H(null),s=H(null),c=H(null),l=L(()=>Ed(t),[t]),u=Dd(e.drawn.value??[],l),d=L(()=>Ed(t,u),[t,e.drawn.value]);F(()=>r.current?.scrollIntoView({block:`start`}),[]),F(()=>{o.value=s.value=c.value=null},[t]);let f=async(t,n)=>(await Ss(e,Ad(e,kd(t,l)),n)).generation?.steps??[],p=Z(JSON.stringify([t.id,e.drawn.value]),async e=>({id:t.id,steps:await f(u,e)})),{now:m}=Z(t.id,async e=>(await cc(),{even:jd(await f(new Map,e)),random:jd(await f(Nd(l),e))})),h=t.generation?.steps??[],g=p.value?.id===t.id?p.value.steps:null,_=d.output.flatMap((e,t)=>cd(e)?[t]:[]),v=_.filter(e=>!u.has(e)),y=s.value??v[0]??null,b=(t,n)=>{e.drawn.value=Od(new Map(u).set(t,n),d),[s.value,c.value]=[null,t]},x=e=>{let{value:t}=o;o.value=null,e&&t&&b(t.word,t.key)},S=({side:e,index:t})=>{e===`query`?s.value=cd(d.output[t])?t:null:y!==null&&b(y,t)},C=t.axes[d.tap.queries]?.prompt??1,w=g?yu(d.output,C,g):[],T=g&&v.length===0?Pd(d,h,g).filter(e=>e!==null):null,E=bd(t).reduce((e,t)=>e+t.heads,0),D=g&&jd(g),O=[[n(`play.you`),D],[n(`play.heads`,{heads:E}),jd(h)],[n(`play.even`),m?.even??null],[n(`play.random`),m?.random??null]],ee=new Date,k=xd(ee),A=e.models.value.find(({name:e})=>e===t.model)?.description.startsWith(`en`),te=ee.toLocaleDateString({en:`en-GB`,de:`de-DE`,hi:`hi-IN`}[e.language.value],{day:`numeric`,month:`long`}),ne=`${n(`play.title`)}${t.text===k?`, ${te}`:``}: ${D===null?``:`${Md(D)} / ${Md(jd(h))}`}`,j=()=>{let{protocol:t,hostname:n,origin:r,pathname:i}=window.location;return t.startsWith(`http`)&&!/^(localhost|127\.|\[)/.test(n)?`${r}${i}?${cs({...zd(e),drawn:[]})}`:``};return q(`section`,{class:`rg-views rg-play`,"aria-label":`you are the attention`,ref:r,children:[q(`header`,{class:`rg-play__head`,children:[q(`h2`,{class:`rg-panel__title`,children:n(`play.title`)}),q(`p`,{children:U(n(`play.about`,{heads:E}),{ask:q(`strong`,{children:n(`play.ask`)})})}),q(`div`,{class:`rg-row`,children:[A&&q(`button`,{type:`button`,class:`rg-button`,"aria-pressed":t.text===k,onClick:()=>void wd(e,k),children:n(`play.day`,{date:te})}),A&&q(`button`,{type:`button`,class:`rg-button`,onClick:()=>void wd(e,Sd(t.text)),children:n(`play.another`)}),q(`button`,{type:`button`,class:`rg-button`,disabled:!u.size,onClick:()=>e.drawn.value=[],children:n(`play.again`)}),q(`button`,{type:`button`,class:`rg-button`,onClick:()=>void Td(e),children:n(`play.own`)})]})]}),q(`div`,{class:`rg-stack rg-play__picture`,children:[q(`p`,{class:`rg-play__asked`,"aria-live":`polite`,"data-screen":!0,children:[y===null?n(`play.all`):U(n(`play.where`),{word:q(`strong`,{children:d.output[y]?.label})}),q(`br`,{}),g&&c.value!==null&&!p.loading&&q(Fg,{label:d.output[c.value]?.label??``,chance:w[c.value]??0,rather:Pg(d,g,c.value)})]}),q(`div`,{class:`rg-translation__frame`,ref:i,children:a>0&&q(sd,{aligned:d,width:a,locked:y===null?[]:[{side:`query`,index:y}],chances:w,pulled:new Set(u.keys()),pull:o.value,free:!0,onPull:(e,t)=>o.value={word:e,from:t,key:t,request:null,trace:null,next:null},onLetGo:x,onLock:S,onRelease:()=>s.value=null})}),p.error&&q(`p`,{class:`rg-note rg-note--error`,role:`alert`,children:p.error}),q(`section`,{class:`rg-play__scores`,"aria-label":n(`play.scores`),"aria-live":`polite`,children:q(Oc,{rows:O.map(([e,t],n)=>({label:e,share:t===null?NaN:t/100,own:n===0}))})}),T&&q(`p`,{class:`rg-play__squares`,role:`img`,"aria-label":T.map((e,t)=>`${d.output[_[t]]?.label}: ${Ld[e]}`).join(`; `),children:T.map((e,t)=>q(`span`,{class:`rg-play__square`,style:{background:Id[e]},title:`${d.output[_[t]]?.label} keeps ${Ld[e]} of its own probability`},t))})]}),T&&D!==null&&q(`div`,{class:`rg-row`,children:[q(Ig,{state:e,name:n(`play.squares`),copy:()=>navigator.clipboard.writeText([ne,T.map(e=>Fd[e]).join(``),j()].filter(Boolean).join(`
`))}),q(Ig,{state:e,name:n(`play.link`),copy:()=>navigator.clipboard.writeText(window.location.href)}),q(Ig,{state:e,name:n(`play.picture`),copy:async()=>{let e=r.current?.querySelector(`.rg-play__picture`);await tu(await eu(fu(e,[ne,t.text,j()].filter(Boolean).join(` · `))))}})]}),q(`p`,{class:`rg-note`,children:n(`play.note`)})]})}function Pg({trace:e,tap:t,output:n},r,i){let a=e.axes[t.queries],o=n[i],s=(o&&r.slice(o.first-(a?.prompt??1),o.end-(a?.prompt??1)).find(({id:e,candidates:[t]})=>t&&t.id!==e))?.candidates[0];return s?{label:J(s.token,Y(a?.tokens??[])),chance:s.probability}:null}function Fg({label:e,chance:t,rather:n}){let r=W(),i=q(`strong`,{children:e});return q(`span`,{class:`rg-note`,children:n?U(r(`play.rather`),{word:i,chance:K(t),other:q(`strong`,{children:n.label}),rather:K(n.chance)}):q(S,{children:[i,` `,K(t)]})})}function Ig({state:e,name:t,copy:n}){let r=W(),i=H(!1),a=async()=>{await n(),i.value=!0,window.setTimeout(()=>i.value=!1,1500)};return q(`button`,{type:`button`,class:`rg-button`,onClick:()=>void Ps(e,a),children:i.value?r(`play.copied`):t})}var Lg=65536,Rg=8192;function zg({state:e,trace:t,tap:n}){let r=W(),i=e.head.value,[a,o]=[t.axes[n.queries],t.axes[n.keys]],s=n.rows*n.columns<=Lg,c=t.generation?.axis===n.queries,l=Bg(e,t,n)??(a.image?0:null),u=l===null?null:$a(t,a,Qa(a,l,c)),d=s?{first:0,end:n.rows}:u?.rows??null,{now:f}=Z(d&&n.columns<=Rg?JSON.stringify([t.id,n.name,i,d]):null,r=>Va(e.source,t.id,n,i,`weight`,d,r)),p=d?.first??0,m=L(()=>f&&s?ro(Za(a,c),Xa(o),[f],a===o):null,[f]),h=u??m?.asked??null;F(()=>{e.word.value=h&&{...h,axis:n.queries}},[h?.label,h?.rows.first,n.queries,t.id]);let g=f&&h?to(h,o,f,p,e.sinkless.value):null,_=e.source.abilities.why&&t.can_ablate&&g?.asked.deed===`write`?js(e,n,g.asked.rows.first):null;return q(`div`,{class:`rg-said`,children:[g&&q(Vg,{state:e,trace:t,tap:n,sentence:g,by:i===`mean`?r(`said.model`):r(`said.head`,{head:i,layer:n.layer}),onAsk:t=>{let n=h&&{first:h.rows.first-p,end:h.rows.end-p},r=f&&n&&Xf(f,n,t);r&&(e.focus.value={...r,query:r.query+p},e.drawer.value=`cell`)}}),` `,_!==null&&q(`button`,{type:`button`,class:`rg-link rg-said__why`,title:r(`said.why.title`),onClick:()=>{e.step.value=_,e.drawer.value=`why`},children:r(`said.why`)})]})}function Bg(e,t,n){let{generation:r}=t,i=e.about.value??e.hover.value,a=e.drawer.value===`word`||e.drawer.value===`why`;if(!i&&a&&r&&n.queries===r.axis)return jc(t.axes[r.axis]?.prompt??0,Pc(e,r));let{value:o}=e.changed;return(i??e.focus.value)?.query??(o?.axis===n.queries?o.rows.first:null)}function Vg({state:e,trace:t,tap:n,sentence:r,by:i,onAsk:a}){let o=W(),{asked:s,looks:c,special:l}=r,u=bl(e)&&!e.busy.value,d=c.map((r,i)=>q(`span`,{children:[i>0&&o(l?`said.ofWords`:`said.and`),u?q(Ug,{state:e,trace:t,tap:n,asked:s,looked:r}):q(`strong`,{children:Wg(r.label)}),` `,q(`span`,{style:{whiteSpace:`nowrap`},children:[`(`,q(`button`,{type:`button`,class:`rg-said__control`,title:o(`said.number`),onClick:()=>a(r),children:K(r.share)}),`)`]})]},r.label)),f=e.needs.value.filter(({row:e})=>e===s.rows.first).map(({key:e,label:t,change:n,looked:r},i)=>q(`span`,{children:[i>0&&o(`said.and`),q(`strong`,{class:`rg-said__needed`,children:Wg(t)}),` (`,o(`said.points`,{change:Pu(n),share:K(r)}),`)`]},e)),p=f.length>0&&U(o(`said.needed`),{needs:f});return q(S,{children:U(o(`said.${s.deed}${l?`.mostly`:``}`),{word:q(Hg,{state:e,trace:t,tap:n,asked:s,able:u}),who:i,looks:d,needs:p})})}function Hg({state:e,trace:t,tap:n,asked:r,able:i}){let a=W(),o=r.deed===`write`?js(e,n,r.rows.first):null,{candidates:s=[],id:c=null}=o!==null&&t.generation?.steps[o]||{},l=s.filter(e=>e.id!=null&&e.id!==c);if(!i||o===null||!l.length)return q(`strong`,{children:Wg(r.label)});let u=Y(t.axes[n.queries]?.tokens??[]);return q(nf,{label:q(`strong`,{children:Wg(r.label)}),look:`rg-said__control`,title:a(`said.other`),children:l.map(({token:t,probability:n,id:r})=>q(rf,{onChoose:()=>void Ts(e,o,r),children:[J(t,u),` `,q(`span`,{class:`rg-number`,children:K(n)})]},r))})}function Ug({state:e,trace:t,tap:n,asked:r,looked:i}){let a=W(),{axes:o}=t,[s,c]=[o[n.queries],o[n.keys]],l=t=>{let n=Dl(e,xu(r.rows,s.predicts??[])[0]??0,xu(t,c.tokens));n&&Sl(e,n)},u=n.kind===`cross`?$n(c,nr(c,`word`)?`word`:`token`).filter(e=>e.first!==i.first&&!e.special):[];return q(nf,{label:q(`strong`,{children:Wg(i.label)}),look:`rg-said__control`,title:a(`said.change`),children:[!i.special&&q(rf,{onChoose:()=>void Tl(e,n.keys,i),children:a(`said.strike`,{word:Wg(i.label)})}),u.map(e=>q(rf,{onChoose:()=>l(e),children:a(`said.instead`,{word:Wg(e.label)})},e.first))]})}var Wg=e=>ar(e)?e:e.replace(/(?<=[\p{L}\p{N}])[^\p{L}\p{N}\p{M}]+$/u,``),Gg=`http://www.w3.org/2000/svg`;function Kg(e){let{left:t,top:n}=e.getBoundingClientRect(),r=[...e.querySelectorAll(`[data-cell]`)].map(e=>{let r=e.ownerSVGElement.getBoundingClientRect(),i=[r.left-t,r.top-n],a=0,o=e.getAttribute(`d`).replace(/-?[\d.]+/g,e=>String(Number(e)+i[a++%2])),{stroke:s,strokeWidth:c,strokeOpacity:l}=getComputedStyle(e);return{d:o,look:{fill:`none`,stroke:s,strokeWidth:c,strokeOpacity:l},cell:e.dataset.cell.split(` `).map(Number)}});return t=>{let n=Br(t),i=e.querySelector(`.rg-map`),a=parseFloat(getComputedStyle(e).getPropertyValue(`--rg-glide`));if(!n||!i||!a||!r.length)return;let[o,s]=[e.getBoundingClientRect(),i.querySelector(`canvas`).getBoundingClientRect()],c=e=>s[e]-o[e]+parseFloat(i.style.getPropertyValue(`--rg-map-${e}`)),[l,u]=[c(`left`),c(`top`)],d=e.appendChild(document.createElementNS(Gg,`svg`));d.setAttribute(`class`,`rg-bend`);let{axes:f,view:p}=n;for(let{d:e,look:t,cell:[n=0,i=0,o]}of r){let[r,s]=[l+(f.keys.of(i)+.5-p.column)*p.cell,u+(f.queries.of(n)+.5-p.row)*p.cell],[c,m]=[`${r} ${u}`,`${l} ${s}`],h=`M${o?m:c}C${r} ${s} ${r} ${s} ${o?c:m}`;d.appendChild(document.createElementNS(Gg,`path`)).animate([{...t,d:`path("${e}")`},{...t,d:`path("${h}")`,strokeWidth:`${p.cell}px`,strokeOpacity:0}],{duration:a,easing:`ease-in-out`})}setTimeout(()=>d.remove(),a)}}var qg=2e3,Jg="The server does not respond; check that `regard studio` is still running, then try again.";function Yg(e,t=qg){let n=V(!1),r=V(0),i,a=async()=>{clearTimeout(i);let o=await e();n.value&&(o?(n.value=!1,r.value+=1):(clearTimeout(i),i=setTimeout(a,t)))};return{lost:n,returns:r,retry:a,fail:()=>{n.value||(n.value=!0,i=setTimeout(a,t))}}}function Xg({state:e}){let t=W(),{error:n,busy:r,begun:i,trace:a,models:o,source:s,draft:c}=e;if(s.connection?.lost.value)return null;if(n.value){let r=e.request.value;return q(`div`,{class:`rg-notice rg-notice--error`,role:`alert`,children:[q(`p`,{children:sc(t,n.value)}),a.value&&c.text.value.trim()!==a.value.text&&q(`p`,{class:`rg-note rg-notice__before`,children:[t(`notice.below`),` “`,a.value.text,`”`]}),q(`div`,{class:`rg-row`,children:[r&&s.abilities.trace&&!a.value&&q(`button`,{type:`button`,class:`rg-button`,onClick:()=>void xs(e,r),children:t(`again`)}),q(`button`,{type:`button`,class:`rg-button rg-button--bare`,onClick:()=>n.value=null,children:t(`notice.dismiss`)})]})]})}let l=(a.value?.notes??[]).filter(oc);return l.length?q(`p`,{class:`rg-note rg-notice--doubt`,role:`status`,children:l.map(e=>sc(t,e))}):a.value||!r.value&&!i.value?null:r.value?q(`div`,{class:`rg-notice rg-notice--empty`,role:`status`,children:[q(`p`,{class:`rg-panel__title`,children:t(`stage.running`)}),q(`p`,{children:t(`notice.recording`)})]}):q(`div`,{class:`rg-notice rg-notice--empty`,children:[q(`p`,{class:`rg-panel__title`,children:t(`notice.nothing`)}),q(`p`,{children:t(o.value.length?`notice.write`:`notice.model`)}),s.abilities.explain&&q(`button`,{type:`button`,class:`rg-button`,onClick:()=>Xp(e),children:t(`notice.learn`)})]})}function Zg({state:e}){let t=W(),n=H(!1),{connection:r}=e.source,i=r?.returns.value??0,a=I(i);if(F(()=>{if(a.current===i)return;a.current=i,e.error.value==="The server does not respond; check that `regard studio` is still running, then try again."&&(e.error.value=null);let t=e.unanswered.value;t&&xs(e,t)},[i,e]),!r?.lost.value)return null;let o=async()=>{n.value=!0,await r.retry(),n.value=!1};return q(`div`,{class:`rg-notice rg-notice--error rg-gone`,role:`alert`,children:[q(`p`,{children:U(t(`notice.gone`),{command:q(`code`,{children:`regard studio`})})}),q(`div`,{class:`rg-row`,children:q(`button`,{type:`button`,class:`rg-button`,"aria-disabled":n.value,onClick:()=>n.value||void o(),children:t(`again`)})})]})}function Qg({state:e}){let t=W(),n=I(null),r=e.help.value;F(()=>{r&&!n.current?.open?n.current?.showModal():r||n.current?.close()},[r]);let i=()=>{e.help.value=!1};return q(`dialog`,{ref:n,class:`rg-help`,"aria-labelledby":`rg-help-title`,onClose:i,onClick:e=>e.target===e.currentTarget&&i(),children:q(`div`,{class:`rg-help__body`,children:[q(`div`,{class:`rg-panel__head`,children:[q(`h2`,{id:`rg-help-title`,class:`rg-panel__title`,children:t(`help.title`)}),q(`button`,{type:`button`,class:`rg-button rg-button--bare`,onClick:i,children:t(`drawer.close`)})]}),q(`p`,{children:U(t(`help.about`),{why:q(`em`,{children:t(`drawer.why`)})})}),q(`h3`,{class:`rg-section`,children:t(`help.keys`)}),q(`div`,{children:mm.map(({keys:e,means:n})=>q(`div`,{class:`rg-help__row`,children:[q(`span`,{class:`rg-row`,children:e.map(e=>q(`kbd`,{children:e},e))}),q(`span`,{children:t(n)})]},n))}),q(`p`,{class:`rg-note`,children:t(`help.map`)})]})})}var $g=`regard.hint`;function e_({state:e,trace:t}){let n=W(),r=H(L(()=>!n_(),[]));return!r.value||!e.source.abilities.trace?null:q(`aside`,{class:`rg-hint`,"aria-label":n(`hint.steps`),children:[q(`ol`,{class:`rg-row rg-hint__steps`,children:t_(t,n).map(([e,t])=>q(`li`,{children:[q(`strong`,{children:e}),` `,t]},e))}),q(`button`,{type:`button`,class:`rg-button rg-button--bare`,onClick:()=>r.value=!1,children:n(`hint.got`)})]})}function t_({task:e,taps:t},n){let r=e===`translation`&&t.some(e=>e.kind===`cross`),i=e===`generation`||e===`translation`;return[...e===`vision`?[]:[[n(`hint.write`),n(`hint.enter`)]],[n(`hint.point`),n(`hint.line`)],r?[n(`hint.strike`),n(`hint.pull`)]:i?[n(`hint.force`),n(`hint.goes`)]:[n(`hint.view`),n(`hint.same`)]]}function n_(){try{let e=localStorage.getItem($g);return localStorage.setItem($g,`1`),e!==null}catch{return!1}}var r_=64,i_=3;function a_({state:e,trace:t,labels:[n,...r]}){let i=W(),a=({token:e,probability:t})=>`${e} ${K(t)}`,[o,s]=Object.entries(t.axes)[0],c=s.words??s.tokens,{value:l}=Z(t.can_ablate&&c.length<=r_?t.id:null,n=>e.source.reliance(t.id,`anywhere`,n)),u=e=>$n(s,`word`).find(t=>t.first===e)?.label??``,d=[...l??[]].sort((e,t)=>e.change-t.change).slice(0,i_);return q(`p`,{class:`rg-row rg-labels`,"aria-label":i(`labels`),children:[q(`strong`,{class:`rg-panel__title`,children:n&&a(n)}),r.map(e=>q(`span`,{children:a(e)},e.token)),n&&d.map((t,r)=>q(`span`,{title:i(`off.token`),children:[r===0&&`${n.token} `,U(i(`labels.without`),{word:bl(e)?q(`button`,{type:`button`,class:`rg-link`,title:i(`said.strike`,{word:u(t.first)}),disabled:e.busy.value,onClick:()=>void Tl(e,o,t),children:u(t.first)}):q(`b`,{children:u(t.first)})}),` `,K(n.probability*Math.exp(t.change))]},t.first))]})}function o_({nearest:[e,...t]}){let n=W(),r=({text:e,cosine:t})=>q(S,{children:[`“`,e,`” `,q(`span`,{class:`rg-number`,children:t.toFixed(2)})]});return q(`p`,{class:`rg-row rg-labels`,"aria-label":n(`nearest.title`),title:n(`nearest.cosines`,{count:t.length+1}),children:[n(`nearest`,{count:t.length+1}),` `,q(`strong`,{children:e&&r(e)}),t.slice(0,2).map(e=>q(`span`,{children:r(e)},e.text))]})}var s_=300,c_=500;function l_({state:e}){let t=W(),n=e.busy.value,[r,i]=De(null),[a,o]=De(0),[s,c]=De(null);return F(()=>{if(!n)return;let t=performance.now(),r=new AbortController,a=async()=>{i(t),o(Math.floor((performance.now()-t)/1e3)),c(await e.source.working?.(r.signal).catch(()=>null)??null)},s=setTimeout(a,s_),l=setInterval(a,c_);return()=>{clearTimeout(s),clearInterval(l),r.abort(),i(null),c(null)}},[n,e]),!n||r===null?null:q(`div`,{class:`rg-progress`,children:q(`div`,{class:`rg-row rg-progress__line`,children:[q(`p`,{role:`status`,children:u_(t,s,e.asking.value)}),e.source.written?.value&&q(`p`,{class:`rg-progress__written`,children:e.source.written.value}),e.trace.value&&q(`p`,{class:`rg-note`,children:t(`notice.below`)}),q(`p`,{"aria-hidden":`true`,children:[a,` s`]}),e.cancel.value&&q(`button`,{type:`button`,class:`rg-button`,onClick:()=>e.cancel.value?.(),children:t(`notice.cancel`)})]})})}function u_(e,t,n){return t?.stage?n&&(t.text!==n.text||t.model!==n.model)?e(`stage.waiting`):t.most?e(`stage.token`,{stage:sc(e,t.stage),token:t.done+1,most:t.most}):sc(e,t.stage):e(`stage.running`)}var d_=80;function f_({state:e,trace:t}){let n=W(),r=e.tap.value,i=e=>Number(t.generation?.axis===e),a=Object.keys(t.axes).filter(e=>!t.axes[e]?.peaks).sort((e,t)=>i(e)-i(t));return q(`section`,{class:`rg-sentences`,"aria-label":n(`text.whole`),children:a.map(n=>t.axes[n]?.image?e.view.value===`map`&&q(cp,{state:e,trace:t,image:Tt(t)},n):q(p_,{state:e,name:n,axis:t.axes[n],asQuery:r?.queries===n,asKey:r?.keys===n},n))})}function p_({state:e,name:t,axis:n,asQuery:r,asKey:i}){let a=W(),o=e.hover.value??e.focus.value,s=r?o?.query:void 0,c=i?o?.key:void 0,l=L(()=>Y(n.tokens.slice(0,1e3)),[n]),u=(r?e.focus.value?.query:e.focus.value?.key)??0,d=n.tokens.length<=d_?0:Math.max(0,Math.min(u-d_/2,n.tokens.length-d_)),f=[r&&a(`query`),i&&a(`key`)].filter(Boolean).join(a(`said.and`)),p=I(null);F(()=>{let e=p.current?.querySelector(`.rg-token--query, .rg-token--key`);p.current&&e&&(p.current.scrollTop=e.offsetTop-p.current.offsetTop)},[s,c,d]);let m=async t=>{let n=t.target.closest(`[data-position]`);if(!n||!(r||i))return;let a=Number(n.dataset.position),o=await Ps(e,()=>Of(e,r?{query:a}:{key:a}));o!==null&&Lr(e,r?{query:a,key:o}:{query:o,key:a})};return q(`div`,{class:`rg-sentences__line`,children:[q(`span`,{class:`rg-note`,children:[fn(a,t),f&&q(`span`,{class:`rg-note`,children:[` `,f]})]}),q(`p`,{ref:p,class:`rg-sentences__text`,role:`group`,"aria-label":a(`text.tokens`,{name:fn(a,t)}),tabIndex:0,onClick:e=>void m(e),children:[d>0&&q(`span`,{class:`rg-note`,children:[a(`text.before`,{count:d.toLocaleString(`en`)}),` `]}),m_(n.tokens,d,d+d_,l).map(({position:e,end:a,label:o},u)=>{let d=n.tokens[e],f=e>0&&lr(d,l),p=t=>t!==void 0&&t>=e&&t<a,m=[p(s)&&`rg-token--query`,p(c)&&`rg-token--key`];return q(S,{children:[u>0&&!f&&` `,q(`button`,{type:`button`,tabIndex:-1,class:[`rg-token`,...m].filter(Boolean).join(` `),"data-position":e,disabled:!r&&!i,title:`${t} ${e}: ${d}`,children:o===`␣`?`\xA0`:o},e)]})}),d+d_<n.tokens.length&&q(`span`,{class:`rg-note`,children:[` `,a(`text.more`,{count:(n.tokens.length-d-d_).toLocaleString(`en`)})]})]})]})}function m_(e,t,n,r){let i=[];return e.slice(t,n).forEach((n,a)=>{let o=t+a,s=or(e,o,r).replace(o>0&&lr(n,r)?/^-(?=.)/:``,``),c=i.at(-1);c&&(Yn(s)||/^\p{M}/u.test(s))?[c.labels,c.end]=[[...c.labels,s],o+1]:i.push({position:o,end:o+1,labels:[s]})}),i.map(({labels:e,...t})=>({...t,label:Xn(e)}))}function h_({state:e,whole:t}){let n=I(null);F(()=>{let r=n.current,i=t?document:r,a=t=>{let n=t,i=n.composedPath()[0];n.defaultPrevented||i instanceof Element&&_m(i,n)||gm(e,n,r)&&n.preventDefault()};return i.addEventListener(`keydown`,a),()=>i.removeEventListener(`keydown`,a)},[e,t]);let r=e.trace.value,i=Gl(e);bf(n,i!==``);let a=e.learn.value,o=e.language.value,s=i&&!a?` rg-app--drawer rg-app--${i}`:``;return q(Vt.Provider,{value:Bt(o),children:q(`div`,{ref:n,class:`rg-app${s}`,lang:o,...v_(e),children:[a?q(Og,{state:e,learn:a}):q(g_,{state:e,trace:r,face:i,whole:t}),q(Qg,{state:e})]})})}function g_({state:e,trace:t,face:n,whole:r}){let i=Uu(e),a=e.source.connection?.returns.value??0;return q(S,{children:[q(Am,{state:e}),t&&!yd(e)&&q(Rp,{state:e,trace:t},`${t.id} ${a}`),q(`main`,{class:`rg-main`,children:[t&&r&&!n&&q(e_,{state:e,trace:t}),q(kf,{state:e,trace:t}),t&&q(f_,{state:e,trace:t}),q(l_,{state:e}),q(Zg,{state:e}),q(Xg,{state:e}),t&&e.tap.value&&!yd(e)&&q(zg,{state:e,trace:t,tap:e.tap.value}),t?.labels?.[0]&&q(a_,{state:e,trace:t,labels:t.labels},t.id),t?.nearest?.[0]&&q(o_,{nearest:t.nearest}),t&&!(i&&e.view.value===`sentence`)&&q(Sh,{state:e,trace:t}),q(__,{state:e},a),t&&q(Ff,{state:e,trace:t})]}),t&&n&&q(Kl,{state:e,trace:t,face:n},a)]})}function __({state:e}){let t=e.tap.value,n=I(null),r=e.view.value,i=L(()=>r===`map`&&n.current?Kg(n.current):null,[r]);F(()=>i?.(e),[i]);let a=e.trace.value;return a?q(`div`,{ref:n,class:`rg-hero`,id:`rg-hero`,"aria-busy":gs(e),children:(()=>{if(r===`sentence`)return yd(e)?q(Ng,{state:e,trace:a}):Uu(e)?q(Ph,{state:e}):Tt(a)?q(sp,{state:e,trace:a,image:Tt(a)}):q(op,{state:e});if(!t)return null;let n={trace:a,tap:t,head:e.head.value};return e.other.value?q(lc,{state:e,first:n,second:e.other.value}):q(Gs,{state:e,...n})})()}):q(`div`,{class:`rg-hero`,"aria-busy":e.busy.value})}var v_=e=>({onDragOver:e=>void(e.dataTransfer?.types.includes(`Files`)&&e.preventDefault()),onDrop:t=>{let[n]=t.dataTransfer?.files??[];if(!n)return;t.preventDefault();let r=Bt(e.language.value),i=e.models.value.find(t=>t.name===e.trace.value?.model&&t.task===`vision`);i&&n.type.startsWith(`image/`)?kt(n,t=>void Zd(e,{model:i.name,text:t})):e.source.abilities.open?n.name.endsWith(`.safetensors`)?Ds(e,n):e.error.value=r(`drop.other`,{file:n.name}):e.error.value=r(`drop.none`,{file:n.name})}});function y_(e){let{fromBase64:t}=Uint8Array;if(t)return t(e);let n=atob(e),r=new Uint8Array(n.length);for(let e=0;e<r.length;e++)r[e]=n.charCodeAt(e);return r}function b_(e,t,n,r){let i=e.axes[t];return(i&&Qn(i,r))?.map(([e,t])=>({first:e,end:t}))??x_(n)}var x_=e=>Array.from({length:e},(e,t)=>({first:t,end:t+1}));function S_(e,t,n,r,i=2**e.level){let a=e.group===`token`?Math.min(e.every,i):1,o=Math.max(0,Math.min(e.height,Math.ceil(t.length/i)-e.row)),s=Math.max(0,Math.min(e.width,Math.ceil(n.length/i)-e.column)),c=new Float32Array(o*s).fill(NaN),l=new Uint32Array(e.reduce===`mean`?c.length:0);for(let u=0;u<o;u++){let o=(e.row+u)*i;for(let d=o;d<Math.min(o+i,t.length);d++){if(d%a!==0)continue;let o=e.group===`token`?r(d):Wa(r,t[d],n);for(let t=0;t<s;t++){let r=u*s+t,a=Math.min((e.column+t+1)*i,n.length);for(let n=(e.column+t)*i;n<a;n++){let t=o[n];if(Number.isNaN(t))continue;let i=c[r];e.reduce===`mean`?(c[r]=(Number.isNaN(i)?0:i)+t,l[r]=l[r]+1):i>=t||(c[r]=t)}}}}return l.forEach((e,t)=>{e>1&&(c[t]=c[t]/e)}),{values:c,height:o,width:s}}function Q(e,t={}){let n=Object.keys(t).sort().filter(e=>t[e]!==void 0&&t[e]!==null).map(e=>`${e}=${encodeURIComponent(String(t[e]))}`);return n.length?`${e}?${n.join(`&`)}`:e}function C_(e,t,n={}){let r=(e,t)=>`/traces/${encodeURIComponent(e)}/${t}`,i=(t,n,r=null)=>e.json(t,r,n);return{abilities:t,exportUrl:()=>``,download:()=>Promise.reject(Error(`There is nothing to export from this view.`)),openFile:()=>Promise.reject(Error("A saved trace is opened with `regard look FILE`.")),offer:()=>i(`/offer`),openModel:e=>i(`/models`,void 0,{model:e}),models:()=>i(`/models`),traces:()=>i(`/traces`),trace:(e,t)=>i(`/traces`,t,e),opened:(e,t)=>i(`/traces/${encodeURIComponent(e)}`,t),summary:(e,t,n)=>i(Q(r(e,`summary`),{tap:t}),n),cell:(e,t,n,a,o,s)=>i(Q(r(e,`cell`),{tap:t,head:n,query:a,key:o}),s),looks:(e,t,n)=>i(Q(r(e,`looks`),t),n),ablate:(e,t,n)=>i(r(e,`ablate`),n,t),reliance:(e,t,n)=>i(Q(r(e,`reliance`),{way:t}),n),lens:(e,t,n)=>i(Q(r(e,`lens`),{step:t}),n),attribution:(e,t,n,a)=>i(Q(r(e,`attribution`),{step:t,against:n}),a),measures:(e,t,n,a)=>i(Q(r(e,`measures`),{step:t,axis:n}),a),explain:(e,t)=>i(`/explain`,t,e),inside:(e,t)=>i(`/inside`,t,e),next:(e,t)=>i(`/next`,t,e),async thumbnails(t,n,i,a){let{shape:o,values:s}=await e.binary(Q(r(t,`thumbnails`),{tap:n,size:i}),a),[c=0,l=0,u=0]=o;return{values:s,heads:c,height:l,width:u}},async tile(t,n,i){let{shape:a,values:o}=await e.binary(Q(r(t,`tile`),{...n}),i),[s=0,c=0]=a;return{values:o,height:s,width:c}},...n}}var w_=8;function T_({trace:e,numbers:t,plain:n,missing:r}){let i=t=>{let n=e.taps.find(e=>e.name===t);if(!n)throw Error(`There is no tap ${t} in this file.`);return n},a=(e,n,r)=>t(Q(e,{tap:n,head:r}))?.values??null,o=(e,t)=>{let n=a(`vectors`,e.name,t);if(!n)return null;let r=e.rows*e.head_dim,i=r+e.columns*e.head_dim,o=(n.length-i)/e.columns;return{query:t=>n.subarray(t*e.head_dim,(t+1)*e.head_dim),key:t=>n.subarray(r+t*e.head_dim,r+(t+1)*e.head_dim),value:e=>n.subarray(i+e*o,i+(e+1)*o)}},s=(e,n,r,i)=>{if(n===`mean`){let t=Array.from({length:e.heads},(t,n)=>s(e,n,r,i));if(t.some(e=>!e))return null;let n=new Float32Array(e.columns);for(let e of t)for(let t=0;t<n.length;t++)n[t]=$(n,t)+$(e,t);return n.map(t=>t/e.heads)}let o=t=>t.subarray(r*e.columns,(r+1)*e.columns),l=t(Q(`map`,{tap:e.name,head:n,quantity:i}));if(l)return o(l.values);let u=t(Q(`map`,{tap:e.name,head:n,quantity:`weight`}));if(!u)return null;if(i===`norm`){let t=a(`value_norms`,e.name,n);return t&&o(u.values).map((e,n)=>e*$(t,n))}return o(u.values).map((t,i)=>c(e,n,r,i,t)??NaN)},c=(e,t,n,r,i)=>{let s=a(`lse`,e.name,t);if(i>0)return s&&Math.log(i)+$(s,n);let c=o(e,t),u=l(e);if(!c||u===null||Number.isNaN(i))return null;let d=a(`bias`,e.name,t);return u*D_(c.query(n),c.key(r))+(d?$(d,n*e.columns+r):0)},l=e=>n(Q(`scale`,{tap:e.name}))??null,u=(t,n,r)=>{let i=Array.from(n,(e,t)=>t).filter(e=>!Number.isNaN($(n,e)));i.sort((e,t)=>$(n,t)-$(n,e)||e-t);let a=n=>e.axes[t]?.tokens[n]??``;return{looks:i.slice(0,r).map(e=>({position:e,token:a(e),weight:$(n,e)})),rest:i.slice(r).reduce((e,t)=>e+$(n,t),0)}},d=(e,t,n,r)=>Array.from({length:e.rows},(i,a)=>s(e,t,a,r)?.[n]??NaN),f=(n,i,f,p)=>{if(i===`mean`)throw Error(`The numbers behind a weight are those of one head; choose 0 to ${n.heads-1}.`);let m=s(n,i,f,`weight`),h=o(n,i),g=a(`lse`,n.name,i);if(!m||!h||!g)throw r(`The equation of ${n.name}, head ${i},`);let _=a(`bias`,n.name,i),v=a(`value_norms`,n.name,i),y=!Number.isNaN($(m,p)),b=y?$(m,p):0,x=l(n),S=D_(h.query(f),h.key(p)),C=_?$(_,f*n.columns+p):null,w=t(Q(`map`,{tap:n.name,head:i,quantity:`score`})),T=w?$(w.values,f*n.columns+p):NaN,E=Number.isNaN(T)?c(n,i,f,p,b):T,D=u(n.keys,m,w_);return{tap:n.name,head:i,query:f,key:p,query_token:e.axes[n.queries]?.tokens[f]??``,key_token:e.axes[n.keys]?.tokens[p]??``,query_vector:Array.from(h.query(f)),key_vector:Array.from(h.key(p)),value_vector:Array.from(h.value(p)),dot:S,scale:x,score:E??(x===null?null:x*S+(C??0)),bias:C,allowed:y,lse:$(g,f),weight:b,value_norm:v&&$(v,p),norm:v&&b*$(v,p),row:D.looks,row_rest:D.rest,row_entropy:m.reduce((e,t)=>t>0?e-t*Math.log2(t):e,0),column:u(n.queries,d(n,i,p,`weight`),w_).looks}},p=t=>{let n=i(t.tap),[a,o]=[b_(e,n.queries,n.rows,t.group),b_(e,n.keys,n.columns,t.group)];if(!s(n,t.head,0,t.quantity))throw r(`This part of ${n.name}, head ${t.head},`);let c=S_(t,a,o,e=>s(n,t.head,e,t.quantity));return{shape:[c.height,c.width],values:c.values}},m=(e,t)=>{let n=new Float32Array(e.heads*e.rows*e.columns);for(let i=0;i<e.heads*e.rows;i++){let a=Math.max(e.rows,e.columns)<=t?s(e,Math.floor(i/e.rows),i%e.rows,`weight`):null;if(!a)throw r(`The pictures of ${e.name}`);n.set(a,i*e.columns)}return{shape:[e.heads,e.rows,e.columns],values:n}},h=(e,t)=>{let n=i(t.get(`tap`)??``),a=t.get(`head`)===`mean`?`mean`:Number(t.get(`head`));if(e===`cell`)return f(n,a,Number(t.get(`query`)),Number(t.get(`key`)));if(e===`looks`){let e=t.get(`quantity`)??`weight`,i=Number(t.get(`k`)??w_),o=t.has(`query`)?s(n,a,Number(t.get(`query`)),e):s(n,a,0,e)&&d(n,a,Number(t.get(`key`)),e);if(!o)throw r(`This part of ${n.name}, head ${a},`);return u(t.has(`query`)?n.keys:n.queries,o,i)}throw r(e===`summary`?`The summary of ${n.name}`:`This answer (${e})`)};return{json(e){let[t=``,r]=e.split(`?`);return n(e)??h(t,new URLSearchParams(r))},binary(e){let n=t(e);if(n)return n;let a=new URLSearchParams(e.split(`?`)[1]);if(e.startsWith(`thumbnails?`))return m(i(a.get(`tap`)??``),Number(a.get(`size`)));if(!e.startsWith(`tile?`))throw r(`This picture`);let o={...Object.fromEntries(a),...E_(a),every:1};return t(Q(`tile`,{...o}))??p(o)}}}function E_(e){let t=t=>Number(e.get(t));return{head:e.get(`head`)===`mean`?`mean`:t(`head`),level:t(`level`),row:t(`row`),column:t(`column`),height:t(`height`),width:t(`width`)}}function D_(e,t){return e.reduce((e,n,r)=>e+n*$(t,r),0)}var $=(e,t)=>e[t];function O_(e){let{trace:t,answers:n}=e,r=new Map,i=e=>{let t=r.get(e);if(t===void 0){let i=n[e];t=i&&typeof i.f32==`string`?{shape:i.shape,values:new Float32Array(y_(i.f32).buffer)}:null,r.set(e,t)}return t},a=e=>Error(`${e} is not in this file; trace the text with \`regard look\` to see it.`),o=T_({trace:t,numbers:i,plain:e=>n[e],missing:a}),s=`/traces/${encodeURIComponent(t.id)}/`;return C_({async json(e,n){if(e===`/models`)return[];if(e===`/traces`&&!n)return[{id:t.id,model:t.model,text:t.text}];if(e===s.slice(0,-1))return t;if(n||!e.startsWith(s))throw a(`Another text, or a change to this one,`);return o.json(e.slice(s.length))},binary:async e=>o.binary(e.slice(s.length))},{trace:!1,ablate:!1,export:!1,explain:!1,open:!1},{leftOut:e.left_out})}var k_={npz:`export.npz`,html:`export.html`},A_={"Content-Type":`application/octet-stream`};function j_(e=`/api`){let t=Yg(()=>fetch(`${e}/working`).then(e=>e.ok,()=>!1)),n=async(e,n)=>{try{return await M_(e,n)}catch(e){throw e instanceof Error&&e.message==="The server does not respond; check that `regard studio` is still running, then try again."&&t.fail(),e}},r=F_({async json(t,r,i){let a=r?{method:`POST`,body:JSON.stringify(r),headers:{"Content-Type":`application/json`}}:{};return(await n(e+t,{...a,signal:i??null})).json()},async binary(t,r){let i=await n(e+t,{signal:r??null});return{shape:(i.headers.get(`X-Regard-Shape`)??``).split(`,`).map(Number),values:new Float32Array(await i.arrayBuffer())}}});return C_(r,{trace:!0,ablate:!0,export:!0,explain:!0,open:!0,why:!0},{connection:t,between:(e,t,n)=>r.json(Q(`/traces/${encodeURIComponent(e)}/between`,t),null,n),working:e=>r.json(`/working`,null,e),exportUrl:(t,n,r)=>e+Q(`/traces/${encodeURIComponent(t)}/${k_[n]}`,r),download:async e=>(await n(e,{})).blob(),openFile:async t=>(await n(`${e}/files`,{method:`POST`,body:t,headers:A_})).json()})}async function M_(e,t){let n;try{n=await fetch(e,t)}catch(e){throw e instanceof DOMException&&e.name===`AbortError`?e:Error(Jg)}if(n.ok)return n;let r=await n.json().catch(()=>null),i=r&&typeof r==`object`&&`detail`in r?r.detail:null;throw new N_(typeof i==`string`?i:`The server answered ${n.status}; try again.`,n.status)}var N_=class extends Error{status;constructor(e,t){super(e),this.status=t}},P_=404;function F_(e){let t=new Map,n=new Map,r=r=>{let i=n.get(r);if(i)return i;let a=t.get(r),o=(async()=>a!==void 0&&(await e.json(`/traces`,a)).id===r)().catch(()=>!1).finally(()=>n.delete(r));return n.set(r,o),o},i=async(e,t)=>{try{return await t()}catch(n){let i=/^\/traces\/([^/?]+)/.exec(e)?.[1];if(!(n instanceof N_)||n.status!==P_||!i||!await r(decodeURIComponent(i)))throw n;return t()}},a=(e,n,r)=>{let i=r;if(e===`/traces`&&n&&i?.id)t.set(i.id,n);else if(i?.by_text&&/^\/traces\/[^/?]+$/.test(e)&&i.id&&i.model!==void 0&&i.text!==void 0){let e={model:i.model,text:i.text};t.set(i.id,e)}};return{async json(t,n,r){let o=await i(t,()=>e.json(t,n,r));return a(t,n,o),o},binary:(t,n)=>i(t,()=>e.binary(t,n))}}async function I_(e){let t=new Image;try{if(!Ot(e))throw Error();t.src=e,await t.decode()}catch{throw Error(`The browser cannot read this image; choose another one.`)}let{naturalWidth:n,naturalHeight:r}=t,i=new OffscreenCanvas(n,r).getContext(`2d`);return i.drawImage(t,0,0),{width:n,height:r,data:i.getImageData(0,0,n,r).data}}var L_=[`lens`,`attribution`,`measures`];function R_(e,t,n,r=null){let i=e.map(({name:e})=>e),a=new Map(i.map(e=>[e,z_()]));(async()=>{let e=[];for await(let r of t)e.push(n({what:`fill`,piece:r}).then(e=>a.get(e??``)?.resolve()));throw await Promise.all(e),Error(`This file is cut off, so a model in it is not whole; get it again.`)})().catch(e=>a.forEach(({reject:t})=>t(e)));for(let{promise:e}of a.values())e.catch(()=>void 0);let o=e=>a.get(e)?.promise,s=null,c=async t=>(await o(e.at(-1)?.name??``),await(s??=n({what:`words`,file:r?.()??``})),n(t)),l=new Map,u=Promise.resolve(),d=new Map,f=V(``),p=async(e,t)=>{if(!i.includes(e.model))throw Error(`This file holds ${i.join(`, `)}; for ${e.model}, run \`regard export page ${e.model}\`.`);let n=JSON.stringify(e),r=d.get(n)??`local-${d.size+1}`;return d.set(n,r),(await m(r,e,t)).info},m=(e,t,n)=>{let r=l.get(e);if(r)return r;let i=u.then(()=>h(e,t,n)),a=()=>void(l.get(e)===i&&l.delete(e));n?.addEventListener(`abort`,a),u=i.catch(a),l.set(e,i);for(let e of[...l.keys()].slice(0,-8))l.delete(e);return i},h=async(t,r,i)=>{await o(r.model);let a=e.some(({name:e,task:t})=>e===r.model&&t===`vision`)?await I_(r.text):void 0,s={...r,image:a};i?.throwIfAborted();let c=n({what:`trace`,wanted:s},e=>f.value=e),l=c.then(()=>n({what:`kept`}));l.catch(()=>void 0),i?.addEventListener(`abort`,()=>void n({what:`stop`}));let{info:u,run:d}=await c.finally(()=>{f.value=``,i?.throwIfAborted()});u.id=t;let p=l.then(({numbers:e,plain:t})=>H_(u,new Map(e),new Map(t)));return p.catch(()=>void 0),{info:u,run:d,answers:p}},g=e=>{let[t]=[...d].find(([,t])=>t===e)??[];if(!t)throw Error(`This text is no longer open here; look at it again.`);return m(e,JSON.parse(t))},_=async e=>{let[,,t=``,...n]=e.split(`/`);return[await g(decodeURIComponent(t)),n.join(`/`)]};return C_({async json(t,r,i){if(t===`/models`)return e;if(t===`/traces`)return r?p(r,i):[];if(t===`/explain`)return c({what:`explain`,request:r});if(t===`/inside`)return c({what:`inside`,request:r});if(t===`/next`)return c({what:`next`,request:r});let[{info:a,run:o,answers:s},l]=await _(t);if(!l)return a;let[u=``,d]=l.split(`?`),{step:f,axis:m,against:h,way:g}=Object.fromEntries(new URLSearchParams(d));return u===`reliance`?B_(a,g,e=>n({what:`score`,model:a.model,run:o,hidden:e}),i):L_.includes(u)?n({what:`why`,model:a.model,run:o,of:u,step:Number(f),axis:m??``,against:h===void 0?null:Number(h)}):l===`ablate`?n({what:`ablate`,run:o,info:a,request:r}):(await s).json(l)},async binary(e){let[{answers:t},n]=await _(e);return(await t).binary(n)}},{trace:!0,ablate:!0,export:!1,explain:r!==null,open:!1,why:!0},{draws:[Mt[`page.draws`][0]],written:f})}function z_(){let[e,t]=[()=>void 0,()=>void 0];return{promise:new Promise((n,r)=>[e,t]=[n,r]),resolve:e,reject:t}}async function B_(e,t,n,r){let i=e.labels?.length?Object.values(e.axes)[0]:e.axes.source;if(!i)throw Error(`What an output depends on is known for a translation or a label.`);let{tokens:a,words:o}=i,s=await n([]),c=[];for(let[i,l]of o??a.map((e,t)=>[t,t+1])){r?.throwIfAborted();let a=await n(Zn({first:i,end:l}).flatMap(n=>V_(e,n,t))),o=a.reduce((e,t,n)=>e+t-s[n],0);c.push({first:i,end:l,change:o,changes:a.map((e,t)=>Math.exp(e)-Math.exp(s[t]))})}return c}function V_({taps:e},t,n){return n===`anywhere`?[String(t)]:e.filter(e=>e.keys===`source`&&n===`across`==(e.queries!==e.keys)).flatMap(({name:e,heads:r,rows:i})=>Array.from({length:r*i},(e,t)=>[t%r,Math.floor(t/r)]).filter(([,e])=>n===`across`||e!==t).map(([n,r])=>`${e}:${n}:${r}:${t}`))}function H_(e,t,n){return T_({trace:e,numbers:e=>t.get(e)??null,plain:e=>n.get(e),missing:e=>Error(`${e} is not made in this page; run \`regard look\` to see it.`)})}var U_=`The kernel that has this trace was restarted or shut down; run the cell again.`,W_=0;function G_(e,t){let n=new Map,r=(e,t)=>{let r=e,i=n.get(r.id);i&&(n.delete(r.id),typeof r.detail==`string`?i.reject(Error(r.detail)):i.resolve({json:r.json,binary:r.shape?K_(r.shape,t[0]):null}))},i=!1,a=()=>{i=!0;for(let{reject:e}of n.values())e(Error(U_));n.clear()};e.on(`msg:custom`,r),e.on(`comm_live_update`,a);let o=(t,r,o)=>new Promise((s,c)=>{if(i)return c(Error(U_));let l=++W_;n.set(l,{resolve:s,reject:c}),o?.addEventListener(`abort`,()=>{n.delete(l)&&(e.send({id:l,cancel:!0}),c(new DOMException(`No longer needed.`,`AbortError`)))});try{e.send({id:l,path:t,body:r})}catch{a()}}),s={json:async(e,t,n)=>(await o(e,t,n)).json,async binary(e,t){let{binary:n}=await o(e,null,t);if(!n)throw Error(`The kernel's answer contains no numbers; run the cell again.`);return n}},c=()=>{e.off(`msg:custom`,r),e.off(`comm_live_update`,a)};return{...C_(s,t),close:c}}function K_(e,t){if(!t)return{shape:e,values:new Float32Array};let n=t.buffer.slice(t.byteOffset,t.byteOffset+t.byteLength);return{shape:e,values:new Float32Array(n)}}function q_(e,t,n={}){let{whole:r=!1,query:i=``,height:a=640,picture:o=``}=n,s=hs(t),c=e.ownerDocument.defaultView;e.classList.add(`regard`),r?e.classList.add(`regard--whole`):e.style.setProperty(`--rg-height`,`${a}px`);let l=c.matchMedia(`(prefers-color-scheme: dark)`),u=()=>r?null:Vr(c.document),d=()=>s.systemDark.value=u()??l.matches;d(),l.addEventListener(`change`,d);let f=[()=>l.removeEventListener(`change`,d),r?()=>void 0:Hr(c.document,d),r?()=>void 0:Ur(e),st(()=>e.setAttribute(`data-theme`,s.dark.value?`dark`:`light`))];r&&f.push(J_(s,c)),de(q(h_,{state:s,whole:r}),e);let p=!1;return Yd(s,ds(i)).then(()=>{p||(r&&f.push(Jd(s,c)),s.trace.value&&f.push(Gr(c.document,o)))}),()=>{p=!0;for(let e of f)e();de(null,e)}}function J_(e,t){return st(()=>{let{value:n}=e.learn;if(n){t.document.title=`${Bt(e.language.value)(`lesson.${n.lesson}.title`)} · learn · regard`;return}let r=e.trace.value;t.document.title=[...r?[Dt(r.text).slice(0,60),r.model]:[],`regard`].filter(Boolean).join(` · `)})}function Y_({model:e,el:t}){let n=G_(e,{trace:!1,ablate:!0,export:!1,explain:!1,open:!1,...e.get(`abilities`)}),r=q_(t,n,{query:String(e.get(`query`)??``),height:Number(e.get(`height`)??0)||640,picture:String(e.get(`picture`)??``)});return()=>{r(),n.close()}}var X_={render:Y_};async function*Z_(){for(;;){let e=document.readyState!==`loading`;for(let t of document.querySelectorAll(`script[type='application/octet-stream']`)){if(!e&&!t.nextElementSibling)break;yield t.textContent??``,t.remove()}if(e)return;await new Promise(e=>setTimeout(e,20))}}var Q_=e=>document.getElementById(e)?.textContent??null;function $_(e){let t=document.getElementById(`regard-trace`),n=window.location.search,r;if(t){let e=JSON.parse(t.textContent??``);r=O_(e),n||=e.query??``}else r=window.regardAsk?R_(JSON.parse(Q_(`regard-info`)??``),Z_(),window.regardAsk,()=>Q_(`regard-words`)??``):j_();q_(e,r,{whole:!0,query:n})}var ev=document.getElementById(`regard`);ev&&!ev.firstChild&&$_(ev);export{X_ as default,q_ as mount};